// Package dispatch moves events from the log in PostgreSQL to the clients' queues in Redis.
//
// One replica at a time works on each shard of the log: the one that holds its lease. The lease only
// saves work. What makes delivery exact is the cursor, which Redis moves in the same step as it
// appends to queues, and only from where this process believes it to be.
//
// Who receives an event is decided with the organization's roster at the event's position in the log.
// The roster is read from the database in its present state, then the changes of all later events are
// undone. From then on the change of each event is applied when the event is dispatched.
package dispatch
