package waiting

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// parkedLife is how much longer than its lifetime a queue lives in Redis from the start of a poll
// that waits: longer than any poll waits, since heartbeats come before.
const parkedLife = 75 * time.Second

// batch bounds how many queues one Redis call reads.
const batch = 100

// Answer is what a poll gets.
type Answer struct {
	Status queue.Status
	Events []Delivery
	// Lost says that an event of the queue can't be had any more; the client has to register again.
	Lost bool
	// Err is set where Redis or PostgreSQL failed.
	Err error
}

// Delivery is one event for one queue.
type Delivery struct {
	Number int64
	queue.Pointer
	Event *event.Recorded
}

// Room is where this replica's polls wait. It implements queue.Listener, apart from LogNews. It is
// safe for concurrent use, and works while Run does.
type Room struct {
	redis    *queue.Redis
	payloads *Payloads
	logger   *slog.Logger
	replica  string
	now      func() time.Time
	woken    func(ctx context.Context, after time.Duration)
	shards   []*shard
	beat     chan struct{}
	moved    atomic.Int64 // polls that came or that were dismissed, since the start
	late     chan []*poll // answered, to be told
	closed   chan struct{}
	told     func()       // counts telling down; made once
	telling  atomic.Int64 // polls that are answered late, or leave, and aren't told yet
	draining atomic.Bool  // nobody waits any more
}

// Late is whoever tells a client an answer that comes when nobody waits for it any more.
type Late interface {
	// Answer is called once, from any goroutine. It doesn't wait for the client, and has told called when the
	// client has the answer, or can't be told.
	Answer(ctx context.Context, answer Answer, told func())
	// Abandon is called instead when the room closes.
	Abandon()
}

// poll is one request. Its fields belong to its shard's mutex.
type poll struct {
	queue        *Queue
	acknowledged int64
	last         int64         // the newest entry that is known to be read or dropped
	woken        int64         // the newest entry that a wake-up told of while Redis was being asked
	asking       bool          // Redis is being asked, or will be
	immediate    bool          // answer even if there is nothing
	answer       chan Answer   // has room for one
	rounds       int           // how often [Room.dismiss] has seen it wait
	dismissed    chan struct{} // has room for one: it may take long, leave if you can
	late         Late          // who is told, instead of the one who waits; nil: nobody
}

type shard struct {
	number  int
	mutex   sync.Mutex
	waiting map[string]*poll
	known   map[string]*Queue // those that were polled here lately
	ask     []*poll
	told    []*poll // answered late, until the mutex is given back
	news    chan struct{}
}

// Deps are what a room works with.
type Deps struct {
	Redis    *queue.Redis
	Payloads *Payloads
	Shards   int
	Replica  string // this process's name
	// Woken, unless nil, is told how long after the beginning of an event's transaction polls are answered
	// that waited for it, once for all of them, where that is known: for events that were dispatched here.
	Woken  func(ctx context.Context, after time.Duration)
	Now    func() time.Time
	Logger *slog.Logger
}

// New makes a room for polls.
func New(d Deps) *Room {
	room := &Room{
		redis: d.Redis, payloads: d.Payloads, logger: d.Logger, replica: d.Replica, now: d.Now, woken: d.Woken,
		beat: make(chan struct{}, 1), late: make(chan []*poll, lateBacklog), closed: make(chan struct{}),
	}
	room.told = func() { room.telling.Add(-1) }
	for number := range d.Shards {
		room.shards = append(room.shards, &shard{number: number, waiting: map[string]*poll{}, known: map[string]*Queue{}, news: make(chan struct{}, 1)})
	}
	return room
}

// Wait gives what is in the queue behind the entry that the client acknowledged. Where that is
// nothing, it waits, unless immediate. Another poll of the same queue makes it return with nothing.
// It returns when ctx ends, too.
//
// When it has waited for a second or two it calls leave, unless that is nil: where leave gives somebody
// to tell the answer to, Wait returns, and ok is false.
func (r *Room) Wait(ctx context.Context, q *Queue, acknowledged int64, immediate bool, leave func() Late) (answer Answer, ok bool) {
	immediate = immediate || r.draining.Load()
	p := &poll{queue: q, acknowledged: acknowledged, last: acknowledged, immediate: immediate, answer: make(chan Answer, 1), dismissed: make(chan struct{}, 1)}
	s, now := r.shards[q.Shard], r.now()
	r.moved.Add(1)
	s.mutex.Lock()
	if acknowledged < q.acknowledged {
		s.mutex.Unlock()
		return Answer{Status: queue.Pruned}, true
	}
	if before := s.waiting[q.ID]; before != nil {
		s.finish(before, Answer{})
	}
	s.waiting[q.ID] = p
	if q.isUpToDate(acknowledged, now) && !immediate {
		q.acknowledged = acknowledged
	} else {
		s.enqueue(p)
	}
	r.unlock(s)
	for {
		select {
		case answer := <-p.answer:
			return answer, true
		case <-p.dismissed:
			if leave != nil && r.leave(ctx, s, p, leave) {
				r.moved.Add(1)
				return Answer{}, false
			}
		case <-ctx.Done():
			s.mutex.Lock()
			if s.waiting[q.ID] == p {
				delete(s.waiting, q.ID)
			}
			s.mutex.Unlock()
			return Answer{Err: ctx.Err()}, true
		}
	}
}

// leave lets the answer be told to somebody else than the one who waits, unless it is there already.
func (r *Room) leave(ctx context.Context, s *shard, p *poll, leave func() Late) bool {
	r.telling.Add(1)
	defer r.telling.Add(-1)
	waits := func() bool { return s.waiting[p.queue.ID] == p }
	s.mutex.Lock()
	answered := !waits()
	s.mutex.Unlock()
	if answered {
		return false
	}
	late := leave()
	if late == nil {
		return false
	}
	s.mutex.Lock()
	p.late = late
	answered = !waits()
	s.mutex.Unlock()
	if answered { // meanwhile
		r.telling.Add(1)
		late.Answer(ctx, <-p.answer, r.told)
	}
	return true
}

// Waiting is how many polls wait.
func (r *Room) Waiting() int {
	count := 0
	for _, s := range r.shards {
		s.mutex.Lock()
		count += len(s.waiting)
		s.mutex.Unlock()
	}
	return count
}

// Run answers polls until ctx ends.
func (r *Room) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range r.shards {
		group.Go(func() error { r.askLoop(ctx, s); return nil })
	}
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error { r.tellLoop(ctx); return nil })
	}
	group.Go(func() error { r.beatLoop(ctx); return nil })
	err := group.Wait()
	r.close()
	return err
}

// enqueue has Redis asked about p; the shard's mutex is held.
func (s *shard) enqueue(p *poll) {
	p.asking = true
	p.woken = 0 // the answer will have what was appended by now
	s.ask = append(s.ask, p)
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// finish answers p; the shard's mutex is held, and p waits.
func (s *shard) finish(p *poll, answer Answer) {
	delete(s.waiting, p.queue.ID)
	p.answer <- answer
	if p.late != nil {
		s.told = append(s.told, p)
	}
}

// unlock gives the shard's mutex back, and has those told whom the holder answered.
func (r *Room) unlock(s *shard) {
	told := s.told
	s.told = nil
	r.telling.Add(int64(len(told)))
	s.mutex.Unlock()
	r.tell(told)
}

// askLoop asks Redis about the shard's polls, all that came while it was asked before at once.
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
			polls := make([]*poll, 0, n)
			for _, p := range s.ask[:n] {
				if s.waiting[p.queue.ID] == p { // it may have gone meanwhile
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

func (r *Room) askFor(ctx context.Context, s *shard, polls []*poll) {
	questions := make([]queue.Poll, len(polls))
	for i, p := range polls {
		ttl := p.queue.Lifetime
		if !p.immediate {
			ttl += int((parkedLife + askAgain) / time.Second)
		}
		questions[i] = queue.Poll{Queue: p.queue.ID, Acknowledged: p.acknowledged, Read: p.last, TTL: ttl}
	}
	polled, err := r.redis.Poll(ctx, s.number, r.replica, questions)
	if err != nil {
		s.mutex.Lock()
		defer r.unlock(s)
		for _, p := range polls {
			if s.waiting[p.queue.ID] == p {
				s.finish(p, Answer{Err: err})
			}
		}
		return
	}
	deliveries, now := r.resolve(ctx, s.number, polls, polled), r.now()
	s.mutex.Lock()
	defer r.unlock(s)
	for i, p := range polls {
		if s.waiting[p.queue.ID] != p {
			continue
		}
		if entries := polled[i].Entries; len(entries) > 0 {
			p.last = entries[len(entries)-1].Number
		}
		answer, more := deliveries[i], p.woken > p.last || len(polled[i].Entries) == queue.MaxEntries
		s.learn(p, answer, more, now)
		switch {
		case answer.Status != queue.Current || answer.Lost || answer.Err != nil || len(answer.Events) > 0 || p.immediate:
			s.finish(p, answer)
		case more:
			s.enqueue(p)
		default:
			p.asking = false // it waits
		}
	}
}

// learn notes what Redis said of p's queue; the shard's mutex is held.
func (s *shard) learn(p *poll, answer Answer, more bool, now time.Time) {
	q := p.queue
	if answer.Status == queue.Gone {
		delete(s.known, q.ID)
	}
	if answer.Status != queue.Current || answer.Lost || answer.Err != nil {
		q.heard = 0
		return
	}
	q.acknowledged = max(q.acknowledged, p.acknowledged)
	q.passedOn, q.delivered, q.asked = p.acknowledged, p.last, now
	q.heard = p.last
	if more {
		q.heard = 0
	}
}

// resolve makes answers out of what Redis gave: without what the clients have from the beginning,
// and with the events that the entries point to.
func (r *Room) resolve(ctx context.Context, number int, polls []*poll, polled []queue.Polled) []Answer {
	answers := make([]Answer, len(polls))
	wanted := []store.Position(nil)
	seen := map[store.Position]int{}
	for i, p := range polls {
		answers[i].Status = polled[i].Status
		for _, entry := range polled[i].Entries {
			if p.queue.has(entry.Pointer) {
				continue
			}
			answers[i].Events = append(answers[i].Events, Delivery{Number: entry.Number, Pointer: entry.Pointer})
			if _, ok := seen[entry.Event]; !ok && !entry.Heartbeat {
				seen[entry.Event] = len(wanted)
				wanted = append(wanted, entry.Event)
			}
		}
	}
	if len(wanted) == 0 {
		fill(answers, nil, nil)
		return answers
	}
	events, err := r.payloads.Get(ctx, number, wanted)
	if err != nil {
		for i := range answers {
			if len(answers[i].Events) > 0 {
				answers[i] = Answer{Err: err}
			}
		}
		return answers
	}
	fill(answers, seen, events)
	return answers
}

// fill puts the events into the answers.
func fill(answers []Answer, index map[store.Position]int, events []*event.Recorded) {
	for i := range answers {
		for j := range answers[i].Events {
			d := &answers[i].Events[j]
			if d.Heartbeat {
				d.Event = event.Heartbeat()
				continue
			}
			if d.Event = events[index[d.Pointer.Event]]; d.Event == nil {
				answers[i] = Answer{Lost: true}
				break
			}
		}
	}
}
