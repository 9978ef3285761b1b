// Package scim implements SCIM 2.0 (RFC 7643 and RFC 7644), by which an identity provider manages an organization's
// people with a token that the admin interface issues.
//
// Users have the attributes of accounts: userName, displayName, one address and active. Further attributes are ignored,
// as the standard allows. Filters compare userName, externalId, id and addresses for equality, combined by "and", which
// is what providers use to find users.
package scim
