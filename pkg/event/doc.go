// Package event defines everything that clients are notified of: one file per type of event, each with its
// audience as data and, where it changes the audiences of later events, with that change as data, too.
//
// An event is recorded in the transaction that makes it true (store.Tx.Emit) and has no other way
// out. Its audience is symbolic: "the subscribers of stream 7", not a list of people. The
// dispatcher resolves it at the event's place in the log, with the [Change]s that come before it.
//
// What differs between clients (the form of a message's content, avatars, the owner's flags) is not
// in the recorded event; [Decode] and [Recorded.Append] make each client's form of it on delivery. That
// is the only place that knows of such differences.
package event
