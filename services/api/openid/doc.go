// Package openid signs browsers in by OpenID Connect providers (docs/decisions/0016-signing-in.md).
//
// A browser goes from an organization's login page to the provider with a code challenge, a state and a nonce. A cookie
// of the organization's host has their counterparts. The provider sends the browser back to an address of the root
// domain, which is the same for all organizations, so that it is the only one to register at the provider. From there
// the browser is redirected, with the provider's parameters, to the organization's host, where the cookie proves that
// it is the same browser, and the code is exchanged.
package openid
