// Package v1alpha1 has the resources that describe chat servers and what is in them.
//
// Rules are in the schema (CEL), so that a wrong object is refused when it is applied. Defaults are in
// the schema, too: the operator never writes a spec.
//
// +kubebuilder:object:generate=true
// +groupName=chatserver.dev
package v1alpha1
