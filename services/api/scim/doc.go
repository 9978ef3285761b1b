// Package scim lets an identity provider manage an organization's people by SCIM 2.0 (RFC 7643 and RFC 7644), with a token that the
// admin interface issues.
//
// Users have what an account has: userName, displayName, one address, and whether they are active; further attributes are ignored, as the
// standard lets a server do. Filters compare userName, externalId, id and addresses for equality, combined by "and": what providers send
// to find somebody.
package scim
