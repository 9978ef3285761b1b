// Package account implements people's changes of accounts: of those that they administer, of their own, and of their bots
// (rest-api.md, sections 4.3, 4.4 and 5.12). Package user has the accounts themselves.
//
// It also creates the accounts of people who join, in whatever way.
//
// It promises:
//
//   - An organization always has an active owner, even with concurrent changes of owners.
//   - A deactivated person is signed out everywhere, and their bots are deactivated with them, [maxBotsPerStep] in a
//     transaction. The person's account is deactivated last, so that an interrupted change can be repeated.
//   - Only owners can hand over a bot with an owner's rights, or replace its key.
package account
