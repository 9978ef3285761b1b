// Package bounds has only tests. They check that no call of the server makes a long transaction, whatever its amount of
// data, so that organizations don't delay each other (docs/decisions/0014-short-transactions.md).
package bounds
