// Package testbed provides tests with real servers: a PostgreSQL database and a Redis server for each test, a clock
// that the test sets, a logger that writes to the test's output, and golden files.
//
// It promises:
//
//   - `go test` works without preparation if PostgreSQL and Redis are installed. Servers are started on first use
//     and end with the test process, even if that is killed.
//   - Tests share nothing, so all of them can be parallel: each has its own database and its own Redis server,
//     because pub/sub isn't separated by the databases of a server. When a test ends, both are emptied for the
//     next one. A database is a copy of a migrated template. An emptied one is compared with a new copy. A
//     process may keep connections to it for its next test.
//   - If the environment contains DatabaseVariable, all test processes use that server instead of one each: `go
//     run ./hack/testbed -- go test ...` starts one.
//
// Data are not durable: fsync is off. Tests that stop and restart servers start their own with package localserver.
package testbed
