// Package charts tests the rendered Helm charts. For each values file in a chart's folder ci, the objects are compared
// with golden files, decoded strictly into the types of Kubernetes and of the operator, and checked for documented
// properties. Further tests check the effect of single values.
package charts
