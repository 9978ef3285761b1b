// Package subscription subscribes accounts to streams and unsubscribes them, lists subscriptions, and changes their
// settings.
//
// It promises:
//
//   - A request is checked as a whole before anything is changed.
//   - A change of a stream's subscriptions holds the stream's lock, taken before the transaction's
//     first write. So the messages that an account received are exact ranges of ids, and the
//     roster at each position of the event log has exactly the subscribers in the database at that point.
//   - Subscriptions are never deleted: accounts that subscribe again find their color, settings and received messages.
//   - The number of queries doesn't depend on the number of streams or people; the number of events does.
package subscription
