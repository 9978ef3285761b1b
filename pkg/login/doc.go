// Package login lets people sign in: with an address and a password they get their own key for each program
// (rest-api.md, section 5.2). A forgotten password is reset by a link in a mail.
//
// It promises:
//
//   - No answer, and no time that one takes, reveals whether an organization has an account with an address, until the
//     password is right.
//   - A try counts before the password is compared, so that no number of connections allows more guesses than the rule
//     for an account; failures count for the network that they come from, too.
//   - Keys are stored as hashes. So a key can't be shown again, and each login issues another. An account has at most
//     [MostLogins] of them: the oldest ends for the newest.
package login
