// Package state reads the initial state for a client that registers (events.md, sections 1.5 and 1.6), in one snapshot
// of the database.
//
// It promises:
//
//   - A part that isn't requested costs nothing and has no keys in the answer; a requested part has all of its keys,
//     even if they are empty.
//   - Everything is as of the snapshot, including the caller: if their role has just changed, the state is that for the
//     role in the snapshot.
//   - The number of statements is fixed, whatever the number of people, streams and messages.
//
// state.go has the list of the parts. Their functions are in files by subject.
package state
