// Package localserver starts PostgreSQL and Redis servers that belong to one process: for `make run`, for tests and for
// benchmarks.
//
// It promises:
//
//   - A server listens only on a Unix socket, in a directory that only its owner can enter. It doesn't use a
//     port, and doesn't affect servers of the system.
//   - A server runs until Stop, until the end of the context that it was started with, or until the owning
//     process ends for any reason, including SIGKILL.
//   - Data in a named directory remain after the owner ends. A start after an unclean end works: it first stops a
//     server that an earlier owner left running. A second owner at the same time is refused.
//   - PostgreSQL, which refuses to run as root, runs as the account "postgres" (or "nobody") if the owner is
//     root.
//
// It requires PostgreSQL 15 or later and Redis 7 or later, and names what is missing (ErrMissing).
package localserver
