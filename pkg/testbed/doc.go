// Package testbed provides tests with real servers: a PostgreSQL database and a Redis server of their own, a
// clock that they set, a logger that writes to the test's output, and golden files.
//
// It promises:
//
//   - `go test` works without preparation wherever PostgreSQL and Redis are installed. Servers are
//     started on first use and end with the test process, however that ends.
//   - Tests share nothing, so all of them can be parallel: each has a database and a Redis server to
//     itself (pub/sub ignores the databases within one). When a test ends, both are emptied for the next
//     one. A database is a copy of a migrated template; an emptied one is compared with a new copy.
//     A process may keep connections to it that its next test uses.
//   - When the environment has DatabaseVariable, that server is used instead of one per test process:
//     `go run ./hack/testbed -- go test ...` starts one for all.
//
// Nothing here is durable: fsync is off. Tests that stop and restart servers start their own with
// package private.
package testbed
