// Package v1alpha1 has the resources that describe chat servers and the objects in them.
//
// Validation rules are in the schema (CEL), so that an invalid object is refused when it is applied. Defaults are in
// the schema, too: the operator never writes a spec.
//
// +kubebuilder:object:generate=true
// +groupName=chatserver.dev
package v1alpha1
