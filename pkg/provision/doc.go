// Package provision implements what an identity provider manages of an organization by itself: the accounts of its people, and its user groups
// (docs/decisions/0016-signing-in.md). Package services/api/scim speaks with it.
//
// It promises:
//
//   - What a provider does is what an owner does, by the rules and with the events of packages account and group: the organization keeps
//     an owner, and whoever is deactivated is signed out everywhere.
//   - Only people are managed, and of them none who isn't of the organization whose token is shown. Bots stay in the groups they are in.
//   - Addresses follow the organization's rules for them; those of owners stay.
//   - An account that a provider deletes is deactivated. Its messages stay, and so does its address: when the provider creates somebody
//     with the same address, the account is theirs again.
package provision
