// Package charts tests the Helm charts by what they render: for each values file in a chart's folder ci the
// objects are compared with golden files, decoded strictly into the types of Kubernetes and of the operator,
// and held to what is promised of them. Further tests show what single values do.
package charts
