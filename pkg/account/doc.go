// Package account implements what people may do to accounts: to those that they administer, to their own, and to their bots
// (rest-api.md, sections 4.3, 4.4 and 5.12). Package user has the accounts themselves.
//
// It also creates the accounts of newcomers, however they join.
//
// It promises:
//
//   - An organization always has an active owner, whatever happens at the same time: changes of owners follow each other.
//   - Whoever is deactivated is signed out everywhere, and their bots are deactivated with them, [mostBots] in a
//     transaction. The account itself is the last, so that a change that was cut off can be repeated.
//   - Only owners get hold of a bot with an owner's rights: they hand it over, and replace its key.
package account
