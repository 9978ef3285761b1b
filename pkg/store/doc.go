// Package store reads and writes PostgreSQL: it is the only package that contains SQL.
//
// [DB.Write], [DB.Read], [DB.ReadReplica] and [DB.Snapshot] open a transaction of one organization. The [Tx] that they
// pass on is the only way to the organization's queries and to [Tx.Emit]. Row-level security restricts
// the transaction to its organization, so queries don't mention it and can't forget it.
//
// Errors of queries name the query, so callers wrap them only to add other context.
//
// Other methods of [DB] work on all organizations: [DB.Authenticate], [DB.Log] for the dispatcher, background jobs, and
// those that find and list organizations.
//
// Fixed queries are in query/*.sql, the schema is in migration/*.sql, and the package sqlc is
// generated from the two.
package store
