// Package queue implements the clients' event queues in Redis: expiring streams of pointers into
// the event log, the registry of queues, and the channels that wake waiting polls.
//
// All data in Redis can be restored or safely lost: when Redis loses a queue, its
// client gets an error and registers again. Atomic operations are Redis functions, in
// function.lua, which also describes the keys.
//
// Queues are exact for these reasons:
//
//   - [Redis.Dispatch] atomically appends to queues and moves the shard's cursor, and refuses if the
//     cursor isn't the one that the caller expects. So an event enters each queue once, whatever process dies.
//   - It also refuses if queues were registered since the caller read the registry. So no queue misses
//     an event between its registration and the time when the dispatcher reads it.
//   - Numbers within a queue have no gaps (XADD 0-*). So a reader that has read up to number n can
//     use entry n+1 from a wake-up without reading Redis, and must read Redis if it gets any other number.
//   - Heartbeats aren't entries. The ids by which clients see entries leave room for heartbeats between them
//     ([EventID]), so if Redis loses writes, entries that are appended again have the same ids as before.
//   - A queue keeps the last acknowledged entry. So a client's acknowledgement can be
//     checked against the queue itself, on any replica.
package queue
