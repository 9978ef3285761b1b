// Package events is the service that delivers events to clients: it registers queues, answers long polls, and moves
// events from the log to the queues.
//
// It promises:
//
//   - A queue receives each event that it requested and whose audience includes its account exactly once, in the log's
//     order, except for events that the initial state of its registration contains. If this can't be guaranteed, the
//     queue ends and its client registers again.
//   - Every replica serves every queue, and shares the work of dispatching with the others. Any of them may die at any
//     time.
//   - A poll that waits is answered within a minute, by a heartbeat if there is no event.
//
// docs/architecture.md describes how this works. The parts are in the packages dispatch, waiting and state.
package events
