// Package account is what people may do to accounts: to those that they administer, and to their own
// (rest-api.md, sections 4.3 and 4.4). Package user has the accounts themselves.
//
// It promises:
//
//   - An organization always has an active owner, whatever happens at the same time: changes of owners follow each other.
//   - Whoever is deactivated is signed out everywhere, and their bots are deactivated with them, [mostBots] in a
//     transaction. The account itself is the last, so that a change that was cut off can be repeated.
package account
