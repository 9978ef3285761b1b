package waiting

import (
	"context"
	"sync"
	"time"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Queue is what a poll has to know of its queue. It never changes.
type Queue struct {
	ID    string
	Shard int
	queue.Descriptor
	initial store.Snapshot // what the client got when it registered
	whole   bool           // initial is known; otherwise everything is delivered
}

// has reports whether an event is already part of what the client got when it registered.
func (q *Queue) has(p queue.Pointer) bool {
	return q.whole && !p.Heartbeat && q.initial.Contains(p.Event.Xid)
}

// queues are those that were polled here lately.
type queues struct {
	redis *queue.Redis
	now   func() time.Time

	mutex sync.Mutex
	known map[string]*knownQueue
}

type knownQueue struct {
	*Queue
	used time.Time
}

// find gives a queue, or nil where there is none.
func (q *queues) find(ctx context.Context, shard int, name string) (*Queue, error) {
	now := q.now()
	q.mutex.Lock()
	known := q.known[name]
	if known != nil {
		known.used = now
	}
	q.mutex.Unlock()
	if known != nil {
		return known.Queue, nil
	}
	// On a stack of its own: the caller's goes on to wait for a minute, and must stay small.
	type outcome struct {
		queue *Queue
		err   error
	}
	read := make(chan outcome, 1)
	go func() {
		found, err := q.read(ctx, shard, name)
		read <- outcome{found, err}
	}()
	done := <-read
	if done.queue != nil {
		q.mutex.Lock()
		defer q.mutex.Unlock()
		q.known[name] = &knownQueue{done.queue, now}
	}
	return done.queue, done.err
}

// read asks Redis for a queue; nil where there is none.
func (q *queues) read(ctx context.Context, shard int, name string) (*Queue, error) {
	descriptor, snapshot, ok, err := q.redis.Find(ctx, shard, name)
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

func (q *queues) forget(name string) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	delete(q.known, name)
}

// sweep forgets those that weren't polled for longer than they live.
func (q *queues) sweep() {
	now := q.now()
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for name, known := range q.known {
		if now.Sub(known.used) > time.Duration(known.Lifetime)*time.Second+2*parkedLife {
			delete(q.known, name)
		}
	}
}
