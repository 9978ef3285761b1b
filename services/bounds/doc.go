// Package bounds has no code: its tests hold the whole server to what keeps organizations from holding up each other,
// that no call makes a long transaction, however much it is about (docs/decisions/0014-short-transactions.md).
package bounds
