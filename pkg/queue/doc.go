// Package queue implements the clients' event queues, in Redis: streams with expiry that hold pointers into
// the event log, the registry of who has which queue, and the channels that wake who waits.
//
// Redis holds nothing here that can't be made again or safely forgotten: when it loses a queue, its
// client gets an error and registers again. What has to happen in one step is a Redis function, in
// function.lua; the keys are described there.
//
// What makes a queue exact:
//
//   - [Redis.Dispatch] appends to queues and moves the shard's cursor in one step, and refuses if the
//     cursor isn't where the caller thinks it is. So an event enters each queue once, whatever dies.
//   - It refuses, too, if queues were registered that the caller doesn't know of. So no queue misses
//     an event between its registration and the dispatcher's hearing of it.
//   - Numbers within a queue have no gaps (XADD 0-*). So a reader that knows number n was read may
//     take n+1 from a wake-up without asking Redis, and knows from any other number that it must ask.
//   - Heartbeats aren't entries. Clients know entry n by an id that leaves room for them before entry n+1
//     ([EventID]), so what a Redis that lost writes appends again has the ids that it had.
//   - A queue keeps the entry that was acknowledged last. So what a client acknowledges can be
//     checked against the queue itself, on any replica.
package queue
