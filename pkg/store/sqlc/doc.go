// Package sqlc is the queries of package store as Go functions, one for each in store/query.
//
// All files but this one are generated from query and migration; nobody edits them. The queries run
// in whatever they are given; package store sees to it that this is a transaction of one organization,
// or says by name that it is about the whole server.
package sqlc
