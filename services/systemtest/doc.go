// Package systemtest runs the real programs in tests, as processes, on PostgreSQL and Redis servers of
// their own, to be stopped, killed and restarted.
//
// A program is built once per test process, into .local/systemtest of the checkout, where the next one
// finds it if nothing has changed. Everything that a test starts ends with it.
package systemtest
