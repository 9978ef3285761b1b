// Package provider reads the configuration of the identity providers by which people sign in: up to
// five, in the slots idp_1 to idp_5 (http-api.md, GET /server_settings; docs/decisions/0016-signing-in.md).
package provider
