// Package event defines the events that clients receive: one file per type of event, each with its
// audience as data and, if it changes the audiences of later events, with that change as data, too.
//
// An event is recorded in the transaction that makes it true (store.Tx.Emit); there is no other way to send
// one. Its audience is symbolic: "the subscribers of stream 7", not a list of people. The
// dispatcher resolves it at the event's position in the log, after the [Change]s before it.
//
// Data that differs between clients (the form of a message's content, avatars, the receiver's flags) is not
// part of the recorded event. [Decode] and [Recorded.Append] encode each client's form on delivery. No other
// code handles these differences.
package event
