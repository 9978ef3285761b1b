package waiting

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
)

// parkedLife is added to a queue's lifetime in Redis when a poll begins to wait. It is longer than any poll waits,
// since the heartbeat comes before.
const parkedLife = 75 * time.Second

// batch is the maximum number of queues that one Redis call reads.
const batch = 100

// Answer is the answer to a poll.
type Answer struct {
	Status queue.Status
	Events []Delivery
	// Heartbeat means that there are no events, and the client should poll again.
	Heartbeat bool
	// Lost means that an event of the queue no longer exists anywhere, and the client has to register again.
	Lost bool
	// Err is set if Redis or PostgreSQL failed.
	Err error

	taken *taken // is counted when the poll takes the answer
}

// Delivery is one event for one queue.
type Delivery struct {
	Number int64
	queue.Pointer
	Event *event.Recorded
}

// Room holds the polls that wait at this replica, and answers them while [Room.Run] is running. It implements the
// methods of queue.Listener that aren't for the dispatcher. It is safe for concurrent use.
type Room struct {
	Deps

	woken    metric.Float64Histogram
	fair     *fair
	shards   []*shard
	came     atomic.Int64 // number of polls since the start
	draining atomic.Bool  // polls no longer wait
}

// Poll is one request that waits. The shard's mutex protects its fields.
type Poll struct {
	room         *Room
	queue        *Queue
	acknowledged int64
	last         int64       // the newest entry that was read or dropped
	woken        int64       // the newest entry of a wake-up while Redis was being asked
	turn         int         // the queue's turn when the poll began
	asking       bool        // Redis is being asked, or will be
	immediate    bool        // answer even if there is nothing
	beat         time.Time   // when its heartbeat is due
	answer       chan Answer // its capacity is 1; nil: the answer is in got, and the client is woken
	got          Answer
	client       Client
}

// Client is a client of a poll that is answered without a goroutine that waits.
type Client struct {
	// Wake is called when there is an answer, see [Poll.Got]. It doesn't block.
	Wake func()
	// Direct sends an event that comes while the poll waits, if this is possible without blocking. If it returns
	// NotSent, the event becomes the poll's answer. It may append to scratch, and returns the resulting slice for
	// reuse. now is about the current time. It is called by one goroutine at a time, while there is no answer.
	Direct func(d Delivery, now time.Time, scratch []byte) (sent Sent, used []byte)
	// Waited is how long the client has waited already when the poll begins. Its first heartbeat comes earlier by that.
	Waited time.Duration
}

// Sent is the result of [Client.Direct].
type Sent int

const (
	// NotSent means that the event wasn't sent, or only partly.
	NotSent Sent = iota
	// SentOne means that the event was sent, and that the poll is to wait again.
	SentOne
	// SentLast means that the event was sent, and that the poll is over. The poll must not be used any more.
	SentLast
)

type shard struct {
	number int
	mutex  sync.Mutex
	known  map[string]*Queue // the queues that were recently polled here
	ask    []*Poll
	news   chan struct{} // signals that ask isn't empty; its capacity is 1
	reads  []woken
	unread chan struct{} // signals that reads isn't empty; its capacity is 1
}

// Deps are the dependencies of a room.
type Deps struct {
	Redis    *queue.Redis
	Payloads *Payloads
	Shards   int
	Replica  string       // the name of this process
	Meter    metric.Meter // measures the number of waiting polls, and the time until they are answered
	Now      func() time.Time
}

// New returns a room without polls, which is started by [Room.Run].
func New(d Deps) (*Room, error) {
	room := &Room{Deps: d}
	room.fair = newFair(d.Now, room.answered)
	for number := range d.Shards {
		room.shards = append(room.shards, &shard{
			number: number, known: map[string]*Queue{}, news: make(chan struct{}, 1), unread: make(chan struct{}, 1),
		})
	}
	return room, room.measure()
}

func (r *Room) measure() (err error) {
	r.woken, err = r.Meter.Float64Histogram("chatserver.wakeup.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from the beginning of an event's transaction to the response to the polls that wait for it."),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	if err != nil {
		return fmt.Errorf("measure wake-ups: %w", err)
	}
	_, err = r.Meter.Int64ObservableGauge("chatserver.polls.waiting", metric.WithDescription("Waiting long polls."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(r.Waiting()))
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure waiting polls: %w", err)
	}
	return nil
}

// each calls do for each shard, with its mutex held.
func (r *Room) each(do func(s *shard)) {
	for _, s := range r.shards {
		s.mutex.Lock()
		do(s)
		s.mutex.Unlock()
	}
}

// Join begins a poll for the entries after the acknowledged one. If there are none, the poll waits, unless immediate.
// Another poll of the same queue ends it with an empty answer.
func (r *Room) Join(q *Queue, acknowledged int64, immediate bool) *Poll {
	p := &Poll{answer: make(chan Answer, 1)}
	r.join(p, q, acknowledged, immediate)
	return p
}

// JoinAs is Join for a client that is woken when there is an answer.
func (r *Room) JoinAs(client Client, q *Queue, acknowledged int64, immediate bool) *Poll {
	p := &Poll{client: client}
	r.join(p, q, acknowledged, immediate)
	return p
}

func (r *Room) join(p *Poll, q *Queue, acknowledged int64, immediate bool) {
	s, now := r.shards[q.Shard], r.Now()
	p.room, p.queue, p.acknowledged, p.last = r, q, acknowledged, acknowledged
	p.immediate, p.beat = immediate || r.draining.Load(), beatAt(now.Add(-p.client.Waited))
	r.came.Add(1)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known[q.ID] != q { // it was removed meanwhile
		p.put(Answer{Status: queue.Gone})
		return
	}
	if acknowledged < q.acknowledged {
		p.put(Answer{Status: queue.Pruned})
		return
	}
	if q.poll != nil {
		q.poll.finish(Answer{})
	}
	q.turn++
	p.turn = q.turn
	s.begin(p, now)
}

// put answers p, which no longer waits.
func (p *Poll) put(answer Answer) {
	if p.answer != nil {
		p.answer <- answer
		return
	}
	p.got = answer
	p.client.Wake()
}

// Again makes the poll wait for the entries after its last answer, which the client hasn't acknowledged. If the poll is
// over, for example because of another poll of the queue, the next answer is empty.
func (p *Poll) Again() {
	p.room.again([]*Poll{p}, p.room.Now())
}

// again is [Poll.Again] for polls of a shard.
func (r *Room) again(polls []*Poll, now time.Time) {
	s := r.shards[polls[0].queue.Shard]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, p := range polls {
		q := p.queue
		if q.turn != p.turn {
			p.put(Answer{})
			continue
		}
		q.used = now
		p.immediate, p.beat = r.draining.Load(), beatAt(now)
		s.begin(p, now)
	}
}

// forget removes a queue. A poll that has an answer already can't wait again. The shard's mutex is held.
func (s *shard) forget(q *Queue) {
	delete(s.known, q.ID)
	q.turn++
}

// begin parks p, or queues it for the askLoop; the shard's mutex is held.
func (s *shard) begin(p *Poll, now time.Time) {
	q := p.queue
	q.poll = p
	if q.isUpToDate(p.acknowledged, p.last, now) && !p.immediate {
		q.acknowledged, p.asking = p.acknowledged, false
	} else {
		s.enqueue(p)
	}
}

// Got returns the answer for which the client was woken. If ctx has ended, it ends the poll and returns the error. It
// is called once, and once more after each [Poll.Again].
func (p *Poll) Got(ctx context.Context) Answer {
	if err := ctx.Err(); err != nil {
		p.leave()
		return Answer{Err: err}
	}
	answer := p.got
	p.got = Answer{}
	answer.taken.one()
	return answer
}

// Answer is Got for a poll of Join: it waits for the answer, or until ctx ends.
func (p *Poll) Answer(ctx context.Context) Answer {
	select {
	case answer := <-p.answer:
		answer.taken.one()
		return answer
	case <-ctx.Done():
		p.leave()
		return Answer{Err: ctx.Err()}
	}
}

// leave ends a poll whose client has disconnected.
func (p *Poll) leave() {
	s := p.room.shards[p.queue.Shard]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if p.waits() {
		p.queue.poll = nil
	}
}

// Waiting returns the number of waiting polls, without those that Redis is being asked about.
func (r *Room) Waiting() (count int) {
	r.each(func(s *shard) {
		for p := range s.waiting() {
			if !p.asking {
				count++
			}
		}
	})
	return count
}

// Run answers polls until ctx ends.
func (r *Room) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range r.shards {
		group.Go(func() error { r.askLoop(ctx, s); return nil })
		group.Go(func() error { r.readLoop(ctx, s); return nil })
	}
	group.Go(func() error { r.lookLoop(ctx); return nil })
	group.Go(func() error { return r.fair.run(ctx) })
	return group.Wait()
}

// enqueue queues p for the askLoop; the shard's mutex is held.
func (s *shard) enqueue(p *Poll) {
	p.asking = true
	p.woken = 0 // the answer will have all entries that were appended by now
	s.ask = append(s.ask, p)
	notify(s.news)
}

// notify wakes the receiver of news, and doesn't block: one signal is enough.
func notify(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}

// waiting returns the polls that wait; the shard's mutex is held.
func (s *shard) waiting() iter.Seq[*Poll] {
	return func(yield func(*Poll) bool) {
		for _, q := range s.known {
			if q.poll != nil && !yield(q.poll) {
				return
			}
		}
	}
}

// waits reports whether p waits; the shard's mutex is held.
func (p *Poll) waits() bool { return p.queue.poll == p }

// finish answers p; the shard's mutex is held, and p waits.
func (p *Poll) finish(answer Answer) {
	p.queue.poll = nil
	p.put(answer)
}

// askLoop asks Redis about the shard's polls, in batches: all that were queued during a call are in the next batch.
func (r *Room) askLoop(ctx context.Context, s *shard) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.news:
		}
		for ctx.Err() == nil {
			s.mutex.Lock()
			n := min(batch, len(s.ask))
			polls := make([]*Poll, 0, n)
			for _, p := range s.ask[:n] {
				if p.waits() { // it may have been answered meanwhile
					polls = append(polls, p)
				}
			}
			if s.ask = s.ask[n:]; len(s.ask) == 0 {
				s.ask = nil
			}
			s.mutex.Unlock()
			if n == 0 {
				break
			}
			if len(polls) > 0 {
				r.askFor(ctx, s, polls)
			}
		}
	}
}

func (r *Room) askFor(ctx context.Context, s *shard, polls []*Poll) {
	questions := make([]queue.PollRequest, len(polls))
	for i, p := range polls {
		ttl := p.queue.Lifetime
		if !p.immediate {
			ttl += int((parkedLife + askAgain) / time.Second)
		}
		questions[i] = queue.PollRequest{Queue: p.queue.ID, Acknowledged: p.acknowledged, Read: p.last, TTL: ttl}
	}
	polled, err := r.Redis.Poll(ctx, s.number, r.Replica, questions)
	if err != nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		for _, p := range polls {
			if p.waits() {
				p.finish(Answer{Err: err})
			}
		}
		return
	}
	answers, now := r.resolve(ctx, s.number, polls, polled), r.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for i, p := range polls {
		if !p.waits() {
			continue
		}
		answer, cut := answers[i].Answer, answers[i].isCut()
		if entries := polled[i].Entries; cut {
			p.last = answers[i].left[0].Number - 1
		} else if len(entries) > 0 {
			p.last = entries[len(entries)-1].Number
		}
		more := cut || p.woken > p.last || len(polled[i].Entries) == queue.MaxEntries
		s.learn(p, answer, more, now)
		switch {
		case cut && len(answer.Events) == 0: // whether it waits or not
			s.enqueue(p)
		case answer.Status != queue.Current || answer.Lost || answer.Err != nil || len(answer.Events) > 0 || p.immediate:
			p.finish(answer)
		case more:
			s.enqueue(p)
		default:
			p.asking = false // it waits
		}
	}
}

// learn records Redis's answer about p's queue; the shard's mutex is held.
func (s *shard) learn(p *Poll, answer Answer, more bool, now time.Time) {
	q := p.queue
	if answer.Status == queue.Gone {
		s.forget(q)
	}
	if answer.Status != queue.Current || answer.Lost || answer.Err != nil {
		q.newest = 0
		return
	}
	q.acknowledged = max(q.acknowledged, p.acknowledged)
	q.passedOn, q.delivered, q.asked = p.acknowledged, p.last, now
	if p.immediate {
		q.asked = time.Time{}
	}
	q.newest = p.last
	if more {
		q.newest = 0
	}
}
