// Package dispatch moves events from the log in PostgreSQL to the clients' queues in Redis.
//
// One replica at a time works on each shard of the log: the one that holds its lease. The lease only
// saves work. What makes delivery exact is the cursor, which Redis moves in the same step as it
// appends to queues, and only from where this process believes it to be.
//
// Who hears of an event is decided with the organization's roster as it was at the event's place in
// the log: the roster is read from the database as it is now, then everything that later events
// changed is undone, and from there on each event's change is applied when it is dispatched.
package dispatch
