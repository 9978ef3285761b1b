// Package admin is the admin interface of the service api: what machines call to keep organizations. It
// has a listener of its own, which no user can reach, and a token for the whole of it.
//
// [Operations] is the list, and openapi.json is generated from it. Bodies and answers are the documents of
// package adminapi, in JSON; answers and faults have the envelope of the public interface.
package admin

import _ "embed"

//go:generate go run ../../hack/openapi -root ../.. -admin -o openapi.json

//go:embed openapi.json
var document []byte
