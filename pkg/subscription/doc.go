// Package subscription manages who is subscribed to which streams: subscribing and unsubscribing, and what
// each subscriber sees of it.
//
// It promises:
//
//   - A request is checked as a whole before anything is changed.
//   - A change of a stream's subscriptions holds the stream's lock, taken before the transaction's
//     first write. So the ids of the messages that somebody received are exact ranges, and the
//     subscribers of the event log are exactly those of the database at each point of it.
//   - Subscriptions are never deleted: who comes back finds color, settings and what they had received.
//   - The number of queries doesn't depend on the number of streams or people; that of events does.
package subscription
