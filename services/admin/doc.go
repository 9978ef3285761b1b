// Package admin is the admin interface of the service api, which programs call to manage organizations. It
// has its own listener, which users can't reach, and one token that allows everything.
//
// [Operations] is the list, from which openapi.json is generated. Requests and responses are the documents of
// package adminapi, in JSON; responses and errors have the envelope of the public interface.
package admin

import _ "embed"

//go:generate go run ../../hack/openapi -root ../.. -admin -o openapi.json

//go:embed openapi.json
var document []byte
