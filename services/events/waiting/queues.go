package waiting

import (
	"context"
	"log/slog"
	"time"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Queue is a queue that is polled at this replica.
type Queue struct {
	ID    string
	Shard int
	queue.Descriptor
	initial store.Snapshot // the snapshot of the client's initial state

	// The shard's mutex protects the following fields.
	used time.Time // the time of the last poll
	poll *Poll     // the waiting poll; nil: there is none
	turn int       // counts the queue's polls, and the events that end polls
	follow
}

// has reports whether an entry is skipped, because the client's initial state contains it.
func (q *Queue) has(p queue.Pointer) bool { return q.initial.Contains(p.Event.Xid) }

// follow is the state of a queue as this replica knows it: it has asked Redis, and is notified of every append since.
// So a poll of a client that has all events waits without another call to Redis, which receives the acknowledgements
// later.
//
// A queue is in one of these states here, which [Queue], its [Poll] and the shard's mutex hold together:
//
//	state     its poll               newest       leaves it by
//	unknown   none                   0            a poll: asking
//	followed  none                   the newest   a poll: parked if it has everything, else asking; a missed append: unknown
//	asking    waits, asking          any          Redis' answer: parked, or the poll's answer; a newer poll, an error
//	parked    waits, not asking      last, or 0   the next append: followed; a later one, a lost connection: asking;
//	                                              a heartbeat: as it was without the poll; the queue's end: unknown
//
// Where newest isn't 0, passedOn ≤ acknowledged ≤ delivered ≤ newest. A parked poll isn't immediate, and its last is
// delivered. Its woken counts only while it is asking: what was appended meanwhile may not be in Redis' answer.
type follow struct {
	newest       int64     // the newest entry; 0: not known, Redis must be asked
	delivered    int64     // the newest entry that was sent to the client here, or skipped
	acknowledged int64     // the newest entry that the client acknowledged here
	passedOn     int64     // the newest acknowledgement that Redis received
	asked        time.Time // the time of the last call to Redis; zero: it was for an immediate poll, with no time to wait in the expiry
}

const (
	// askAgain is the longest time without a call to Redis about a followed queue. The expiry of queues in Redis allows
	// for it.
	askAgain = 20 * time.Second
	// passOn is the number of acknowledged entries that Redis may still hold.
	passOn = 100
)

// isUpToDate reports whether a client with the given newest acknowledged and received entries has all events.
func (f *follow) isUpToDate(acknowledged, got int64, now time.Time) bool {
	return f.newest == got && f.delivered == got && acknowledged-f.passedOn < passOn && now.Sub(f.asked) < askAgain
}

// appended records an append.
func (f *follow) appended(number int64) {
	switch {
	case number == f.newest+1 && f.newest != 0:
		f.newest = number
	case number > f.newest:
		f.newest = 0 // a notification was lost
	}
}

// Find returns a queue, or nil if there is none with that name.
func (r *Room) Find(ctx context.Context, name string) (*Queue, error) {
	number, ok := queue.ShardOf(name, len(r.shards))
	if !ok {
		return nil, nil //nolint:nilnil // nil is the documented answer
	}
	s, now := r.shards[number], r.Now()
	s.mutex.Lock()
	known := s.known[name]
	if known != nil {
		known.used = now
	}
	s.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	found, err := r.read(ctx, number, name)
	if found == nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known := s.known[name]; known != nil {
		return known, nil // another poll was faster
	}
	found.used = now
	s.known[name] = found
	return found, nil
}

// Knows reports whether [Room.Find] would return q without asking Redis. Like Find, it records that the queue is used.
func (r *Room) Knows(q *Queue) bool {
	s, now := r.shards[q.Shard], r.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known[q.ID] != q {
		return false
	}
	q.used = now
	return true
}

// read reads a queue from Redis; nil: there is none. It removes one whose snapshot can't be read, since nobody knows which
// events its client lacks.
func (r *Room) read(ctx context.Context, shard int, name string) (*Queue, error) {
	descriptor, snapshot, ok, err := r.Redis.Find(ctx, shard, name)
	if err != nil || !ok {
		return nil, err
	}
	initial, err := store.ParseSnapshot(snapshot)
	if err != nil {
		r.Logger.WarnContext(ctx, "removed a queue that is damaged in Redis", slog.String("queue", name))
		_, err = r.Redis.Unregister(ctx, shard, name)
		return nil, err
	}
	return &Queue{ID: name, Shard: shard, Descriptor: descriptor, initial: initial}, nil
}

// sweep forgets queues that weren't polled for longer than their lifetime.
func (r *Room) sweep() {
	now := r.Now()
	r.each(func(s *shard) {
		for _, q := range s.known {
			if q.poll == nil && now.Sub(q.used) > time.Duration(q.Lifetime)*time.Second+2*parkedLife {
				s.forget(q)
			}
		}
	})
}
