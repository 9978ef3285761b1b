// Package openapi has the OpenAPI 3.1 description of the HTTP interface, which is generated from the
// endpoints and their comments.
package openapi

import _ "embed"

//go:generate go run ../../../hack/openapi -root ../../.. -o openapi.json

//go:embed openapi.json
var document []byte

// Document returns the description as JSON. The caller must not modify it.
func Document() []byte { return document }
