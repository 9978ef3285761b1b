// Package openid signs browsers in by identity providers of OpenID Connect (docs/decisions/0016-signing-in.md).
//
// A browser goes from an organization's login page to the provider with a code challenge, a state and a nonce that a cookie of
// that organization's host keeps the counterparts of, and comes back to one address of the root domain, whatever the organization:
// the only one that the provider has to know. From there it goes to the organization's host with what it brought, where the cookie
// shows that it is the browser that left, and the code is exchanged.
package openid
