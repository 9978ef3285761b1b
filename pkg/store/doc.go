// Package store is PostgreSQL: the only package that speaks SQL.
//
// There is one door. [DB.Write], [DB.Read] and [DB.Snapshot] open a transaction of one organization;
// the [Tx] that they hand over has every query of the organization and [Tx.Emit], and none of them
// exists outside. Row-level security holds the transaction to its organization, so queries don't
// mention it, and forgetting it is impossible rather than wrong.
//
// Errors of queries say which query failed: callers wrap them only with what they know beside that.
//
// What isn't about one organization has named methods of its own: [DB.Authenticate], [DB.Log] for
// the dispatcher, and those on organizations.
//
// Fixed queries are in query/*.sql, the schema is in migration/*.sql, and the package sqlc is
// generated from the two.
package store
