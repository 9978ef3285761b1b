// Package dispatch moves events from the log in PostgreSQL to the clients' queues in Redis.
//
// At any time, one replica dispatches each shard of the log: the one that holds its lease. The lease only avoids
// duplicate work. The cursor makes delivery exact: Redis moves it in the same step as it appends to queues, and only if
// it is where this process expects it.
//
// The recipients of an event are determined by the organization's roster at the event's position in the log. The roster
// is read from the database in its present state, then the changes of all later events are undone. From then on, each
// event's change is applied to the roster when the event is dispatched.
package dispatch
