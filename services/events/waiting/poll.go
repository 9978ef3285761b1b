package waiting

import (
	"context"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
)

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

// waits reports whether p waits; the shard's mutex is held.
func (p *Poll) waits() bool { return p.queue.poll == p }

// finish answers p; the shard's mutex is held, and p waits.
func (p *Poll) finish(answer Answer) {
	p.queue.poll = nil
	p.put(answer)
}
