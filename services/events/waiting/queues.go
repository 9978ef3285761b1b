package waiting

import (
	"context"
	"maps"
	"time"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Queue is what a poll has to know of its queue.
type Queue struct {
	ID    string
	Shard int
	queue.Descriptor
	initial store.Snapshot // what the client got when it registered
	whole   bool           // initial is known; otherwise everything is delivered

	// The rest belongs to the shard's mutex.
	used time.Time // when it was polled last
	poll *Poll     // that waits; nil: none does
	turn int       // counts its polls, and what ends them
	follow
}

// has reports whether an entry isn't sent: the client's initial state contains it, or it is a heartbeat of the
// previous release.
func (q *Queue) has(p queue.Pointer) bool {
	return p.Heartbeat || q.whole && q.initial.Contains(p.Event.Xid)
}

// follow is what this replica knows of a queue since it asked Redis about it: it is notified of every append.
// So a client that has everything waits without another call of Redis, and its acknowledgements reach Redis
// some time later.
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
	newest       int64     // the newest entry there is; 0: not known, ask
	delivered    int64     // the newest entry that the client got here, or that was left out for it
	acknowledged int64     // the newest that it acknowledged here
	passedOn     int64     // the newest acknowledgement that Redis knows of
	asked        time.Time // when Redis was asked last
}

const (
	// askAgain is how long Redis isn't asked about a queue that is followed. The queue's expiry allows for it.
	askAgain = 20 * time.Second
	// passOn is how many acknowledged entries Redis may still hold.
	passOn = 100
)

// isUpToDate reports whether a client that acknowledged, and got, so much has everything.
func (f *follow) isUpToDate(acknowledged, got int64, now time.Time) bool {
	return f.newest == got && f.delivered == got && acknowledged-f.passedOn < passOn && now.Sub(f.asked) < askAgain
}

// appended records an append.
func (f *follow) appended(number int64) {
	switch {
	case number == f.newest+1 && f.newest != 0:
		f.newest = number
	case number > f.newest:
		f.newest = 0 // it missed one in between
	}
}

// Find returns a queue, or nil where there is none of that name.
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

// Knows reports whether q is what [Room.Find] would return without asking Redis, and notes as Find does that it is used.
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

// read asks Redis for a queue; nil where there is none.
func (r *Room) read(ctx context.Context, shard int, name string) (*Queue, error) {
	descriptor, snapshot, ok, err := r.Redis.Find(ctx, shard, name)
	if err != nil || !ok {
		return nil, err
	}
	found := &Queue{ID: name, Shard: shard, Descriptor: descriptor}
	if snapshot != "" {
		if found.initial, err = store.ParseSnapshot(snapshot); err != nil {
			return nil, err
		}
		found.whole = true
	}
	return found, nil
}

// sweep forgets queues that weren't polled for longer than their lifetime.
func (r *Room) sweep() {
	now := r.Now()
	r.each(func(s *shard) {
		maps.DeleteFunc(s.known, func(_ string, q *Queue) bool {
			return q.poll == nil && now.Sub(q.used) > time.Duration(q.Lifetime)*time.Second+2*parkedLife
		})
	})
}
