// Package waiting holds the long polls that wait at this replica, and answers them.
//
// A waiting poll costs an entry in a map: no goroutine, and no connection to Redis or PostgreSQL. Redis is asked about
// new polls in batches, with one call for all polls that came during the previous call. One subscription reports all
// appends to all queues. A wake-up with the next entry of a queue answers its poll at once; with any later entry, Redis
// is asked again. The goroutine that receives wake-ups never blocks: an event that isn't in memory, because another
// process dispatched it, is read by the shard's own goroutine.
//
// No wake-up is missed: a poll is in the map before Redis is asked, so a wake-up that overtakes the
// answer is noted and compared with it.
package waiting
