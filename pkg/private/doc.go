// Package private starts PostgreSQL and Redis servers that belong to one process: for `make run`,
// for tests and for benchmarks.
//
// It promises:
//
//   - A server listens on a Unix socket alone, in a directory that only its owner can enter. It never
//     takes a port and never touches a server of the system.
//   - A server lives as long as its owner lets it: until Stop, until the end of the context that it was
//     started with, or until the owning process is gone, however that ended (SIGKILL too).
//   - Data in a named directory outlasts its owner, and a start after an unclean end works: what an
//     earlier owner left running is stopped first. Two owners at a time are refused.
//   - PostgreSQL, which refuses to run as root, runs as the account "postgres" (or "nobody") when the
//     owner is root.
//
// It wants PostgreSQL 15 or later and Redis 7 or later, and says what is missing (ErrMissing).
package private
