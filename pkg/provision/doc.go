// Package provision implements what an identity provider manages in an organization: the accounts of its people and
// its user groups (docs/decisions/0016-signing-in.md). Package services/api/scim implements the protocol.
//
// It promises:
//
//   - Changes by a provider have the same rules and events as changes by an owner, from packages account and
//     group: the organization keeps an owner, and deactivated accounts are signed out everywhere.
//   - A provider manages only people, and only those of the organization that its token belongs to. Bots remain
//     in their groups.
//   - Addresses must comply with the organization's rules. Addresses of owners don't change.
//   - An account that a provider deletes is deactivated. Its messages and its address are kept. When the provider
//     creates a person with the same address, the account is activated again.
package provision
