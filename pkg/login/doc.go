// Package login signs people in with an address and a password. Each login issues a new key for a program
// (rest-api.md, section 5.2). A forgotten password is reset with a link in a mail.
//
// It promises:
//
//   - Unless the password is correct, neither the reply nor its time reveals whether an organization has an account with an address.
//   - A try is counted before the password is compared, so that concurrent requests can't exceed the limit of an account. Failures are
//     also counted by network.
//   - Keys are stored as hashes. Therefore a key can't be shown again. An account has at most [MaxLogins] keys: a new one revokes the
//     oldest.
package login
