// Command openapi writes the OpenAPI 3.1 description of the HTTP interface.
//
// The description follows the code: the endpoints are those that the services serve, parameters and replies come from
// their Go types, and texts from the comments of the functions and fields that declare them. The output depends on
// nothing else, so it can be committed and compared.
package main
