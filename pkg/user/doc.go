// Package user manages the accounts of people and bots: it creates, changes and lists them, stores their settings, and
// authenticates callers.
//
// An account has two addresses: the real one, which it logs in with, and the one that others see.
// They differ for people in organizations that hide addresses. Parameters that take an address
// mean the one that others see.
//
// # Authentication
//
// [Authenticator] caches accounts by the hash of their key, so polls and sends need no query. One
// query per second, for all accounts, reads the changes ([Authenticator.Watch]). The cache is used only while that
// succeeds, so a revoked key, a deactivated account or a former role keeps working for three seconds at most. The
// number of cached accounts is bounded, and concurrent callers with the same key share one query.
//
// API keys are 32 random letters and digits. Only their SHA-256 is stored: a key is shown once.
package user
