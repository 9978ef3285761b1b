// Package provider is the identity providers by which people sign in, as the server's operator configures them: up to
// five, in the slots idp_1 to idp_5 (http-api.md, GET /server_settings; docs/decisions/0016-signing-in.md).
package provider
