// Package property tests invariants that must hold after any history, through the HTTP interface: people of an
// organization send, edit, move, read, join and leave at random, and
//
//   - what each of them is shown and receives is what a model says that has one row for each message and
//     recipient (docs/decisions/0009-read-state.md);
//   - a client that applies its events to its initial state knows what one that registers now receives.
//
// -rapid.checks=1000 tries more histories than the few of each run; -rapid.seed=N tries one again.
package property
