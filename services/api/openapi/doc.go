// Package openapi has the OpenAPI 3.1 description of the HTTP interface, which is generated from the
// endpoints and their comments.
package openapi

import _ "embed"

//go:generate go run ../../../hack/openapi -root ../../.. -o openapi.json

//go:embed openapi.json
var document []byte

// Document is the description as JSON. It must not be changed.
func Document() []byte { return document }
