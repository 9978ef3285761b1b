// Package waiting holds the long polls that wait at this replica, and answers them.
//
// A waiting poll costs an entry in a map and a goroutine: no connection to
// Redis or PostgreSQL. Polls that arrive are asked about in batches, one Redis call for all that came
// meanwhile. One subscription reports all appends to all queues; a wake-up that carries the very
// next entry of a queue answers the poll at once, any other makes it ask Redis again. Whoever hears wake-ups
// waits for nothing: where the event isn't in memory, as it was dispatched elsewhere, the shard's own loop reads it.
//
// No wake-up is missed: a poll is in the map before Redis is asked, so a wake-up that overtakes the
// answer is noted and compared with it.
package waiting
