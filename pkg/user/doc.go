// Package user manages accounts, of people and of bots: who they are, what others see of them, what they
// have chosen, and whether a caller is who they say.
//
// An account has two addresses: the real one, which it logs in with, and the one that others see.
// They differ for people in organizations that hide addresses; every parameter that takes an address
// means the one that others see.
//
// # Authentication
//
// [Authenticator] remembers accounts by the hash of their key, so a poll or a send costs no query. One
// query a second, however many accounts there are, reports what changed ([Authenticator.Watch]); what
// it remembers is used only as long as that works. The price is that a key that was revoked, an account
// that was deactivated, or a role that was changed keeps working for three seconds at most. It
// remembers a bounded number of accounts, and any number of callers that come with the same key at
// the same moment cost one query.
//
// API keys are 32 random letters and digits. Only their SHA-256 is stored: a key is shown once.
package user
