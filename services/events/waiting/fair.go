package waiting

import (
	"context"
	"runtime"
	"sync"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/activity"
)

// A wake-up may answer hundreds of polls, each in a goroutine that encodes and writes its answer. If all were ready at
// the same time, they would run before everything that comes later, including events of other organizations: Go polls
// the network only if no goroutine is ready, or after 10 ms. So many polls are answered in chunks, organizations take
// turns, and the network is polled between chunks.
const (
	// chunkPolls and chunkBytes bound a chunk, which takes a processor about a millisecond. Each processor has one; while other
	// organizations are active, half of them do.
	chunkPolls = 32
	chunkBytes = 512 << 10
	// chunkTime is the longest wait for a chunk: a poll whose client has disconnected doesn't take its answer.
	chunkTime = 5 * time.Millisecond
)

// wave is an event, and the polls of an organization that are still to be answered with it.
type wave struct {
	org      id.Org
	pointer  queue.Pointer
	recorded *event.Recorded
	polls    []*Poll
}

// chunk returns the number of polls that may be answered at the same time.
func (w *wave) chunk() int {
	return max(1, min(chunkPolls, chunkBytes/max(1, w.recorded.Length())))
}

// fair answers waves, some chunks at a time.
type fair struct {
	processors int
	now        func() time.Time
	done       func(ctx context.Context, recorded *event.Recorded) // is called when a wave is answered

	mutex  sync.Mutex
	waves  map[id.Org][]*wave
	turns  []id.Org // the organizations with waves
	recent activity.Recent
	closed bool
	news   chan struct{} // there are waves; has room for one
}

func newFair(now func() time.Time, done func(ctx context.Context, recorded *event.Recorded)) *fair {
	return &fair{processors: runtime.GOMAXPROCS(0), now: now, done: done, waves: map[id.Org][]*wave{}, news: make(chan struct{}, 1)}
}

// answer answers polls that have been removed from the waiting ones: at once if they are few.
func (f *fair) answer(ctx context.Context, pointer queue.Pointer, recorded *event.Recorded, polls []*Poll) {
	w := &wave{polls[0].queue.Org, pointer, recorded, polls}
	if f.enqueue(w) {
		return
	}
	w.deliver(polls, f.now(), nil)
	f.done(ctx, recorded)
}

// enqueue returns false for a wave that needs no turns, and after close.
func (f *fair) enqueue(w *wave) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.recent.Note(w.org, f.now())
	if f.closed || len(w.polls) <= w.chunk() {
		return false
	}
	if f.waves[w.org] = append(f.waves[w.org], w); len(f.waves[w.org]) == 1 {
		f.turns = append(f.turns, w.org)
	}
	notify(f.news)
	return true
}

// next takes the chunks of polls that are answered next, at the same time; none: there are no waves. last reports whether
// they are the last of their wave.
func (f *fair) next() (w *wave, chunks [][]*Poll, last bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.turns) == 0 {
		return nil, nil, false
	}
	org, most := f.turns[0], f.processors
	if f.recent.Besides(org, f.now()) {
		most = max(1, most/2)
	}
	w = f.waves[org][0]
	for len(w.polls) > 0 && len(chunks) < most {
		n := min(w.chunk(), len(w.polls))
		chunks, w.polls = append(chunks, w.polls[:n]), w.polls[n:]
	}
	if last = len(w.polls) == 0; last {
		f.waves[org] = f.waves[org][1:]
	}
	if f.turns = f.turns[1:]; len(f.waves[org]) > 0 {
		f.turns = append(f.turns, org)
	} else {
		delete(f.waves, org)
	}
	return w, chunks, last
}

// close causes all later waves to be answered at once.
func (f *fair) close() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.closed = true
}

// run answers waves until ctx ends, and then all remaining ones at once.
func (f *fair) run(ctx context.Context) error {
	ended, err := newSignal()
	if err != nil {
		return err
	}
	defer ended.close()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-f.news:
			f.work(ctx, ended)
		}
	}
	f.close()
	f.work(ctx, ended)
	return nil
}

// work answers waves until there are none.
func (f *fair) work(ctx context.Context, ended *signal) {
	for w, chunks, last := f.next(); len(chunks) > 0; w, chunks, last = f.next() {
		start, count := f.now(), &taken{ended: ended}
		for _, polls := range chunks {
			count.left.Add(int64(len(polls)))
		}
		all := sync.WaitGroup{}
		for _, polls := range chunks[1:] {
			all.Go(func() { w.deliver(polls, start, count) })
		}
		w.deliver(chunks[0], start, count)
		all.Wait()
		if last {
			f.done(ctx, w.recorded)
		}
		if ctx.Err() != nil {
			continue
		}
		count.wait(start.Add(chunkTime))
		// While other organizations are active, large waves take half of the time.
		if f.recent.Besides(w.org, f.now()) {
			time.Sleep(min(f.now().Sub(start), chunkTime))
		}
	}
}

// deliver answers polls of the wave, which have been removed from the waiting ones. Each is counted when it takes its
// answer. It uses polls for those that wait again: they do so together, which takes the shard's mutex and the time once.
func (w *wave) deliver(polls []*Poll, now time.Time, count *taken) {
	scratch, again := []byte(nil), polls[:0]
	for _, p := range polls {
		d, sent := Delivery{Number: p.last, Pointer: w.pointer, Event: w.recorded}, NotSent
		if p.client.Direct != nil {
			sent, scratch = p.client.Direct(d, now, scratch[:0])
		}
		switch sent {
		case NotSent:
			p.put(Answer{Events: []Delivery{d}, taken: count})
		case SentOne:
			again = append(again, p)
		case SentLast:
			count.one()
		}
	}
	if len(again) > 0 {
		again[0].room.again(again, now)
	}
	for range again {
		count.one()
	}
}
