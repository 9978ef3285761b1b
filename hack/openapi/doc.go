// Command openapi writes the OpenAPI 3.1 description of the HTTP interface.
//
// What is described is what is served: the list of endpoints is the one that the services are made
// of, parameters and replies are read from their Go types, and the prose from the comments of the
// functions and fields that declare them. The output depends on nothing else, so that it can be
// committed and compared.
package main
