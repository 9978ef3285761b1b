// Package systemtest runs the real programs in tests, as processes that can be stopped, killed and restarted, with
// PostgreSQL and Redis servers of their own.
//
// A program is built once per test process, into .local/systemtest of the checkout, and reused by later ones if nothing
// has changed. Everything that a test starts is stopped when it ends.
package systemtest
