// Package state reads the initial state that a client gets when it registers (events.md, sections
// 1.5 and 1.6), out of one snapshot of the database.
//
// It promises:
//
//   - What isn't asked for costs nothing and has no key in the answer; what is asked for has all of
//     its keys, empty where there is nothing.
//   - Everything is as of the snapshot, who asks included: a caller whose role has just changed gets
//     the state of the role that the snapshot has.
//   - The number of statements is fixed, whatever the number of people, streams and messages.
//
// state.go has the list of the parts; what reads one is in the file of what it is about.
package state
