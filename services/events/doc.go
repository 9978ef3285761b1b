// Package events is the service that clients get events from: it registers queues, answers long
// polls, and moves events from the log to the queues.
//
// It promises:
//
//   - A queue gets each event of its account's audience that it asked for once, in the log's order:
//     everything that the initial state of its registration doesn't contain, and nothing of what it
//     does contain. Where that can't be kept, the queue ends and its client registers again.
//   - Every replica serves every queue, and shares the work of dispatching with the others. Any of them
//     may die at any time.
//   - A poll that waits is answered within a minute, by a heartbeat if by nothing else.
//
// How this happens is in docs/architecture.md; the parts are in the packages dispatch, waiting and
// state.
package events
