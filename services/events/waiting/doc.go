// Package waiting holds the long polls that wait at this replica, and answers them.
//
// A waiting poll costs an entry in a map: no goroutine, and no connection to
// Redis or PostgreSQL. Polls that arrive are asked about in batches, one Redis call for all that came
// meanwhile. One subscription reports all appends to all queues; a wake-up that carries the very
// next entry of a queue answers the poll at once, any other makes it ask Redis again. The goroutine that receives
// wake-ups never blocks: an event that another process dispatched isn't in memory, and the shard's own goroutine reads it.
//
// No wake-up is missed: a poll is in the map before Redis is asked, so a wake-up that overtakes the
// answer is noted and compared with it.
package waiting
