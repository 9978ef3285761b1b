package waiting

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/queue"
)

// parkedLife is added to a queue's lifetime in Redis when a poll begins to wait. It is longer than any poll waits,
// since the heartbeat comes before.
const parkedLife = 75 * time.Second

// begin parks p, or queues it to be asked about; the shard's mutex is held.
func (s *shard) begin(p *Poll, now time.Time) {
	q := p.queue
	q.poll = p
	if q.isUpToDate(p.acknowledged, p.last, now) && !p.immediate {
		q.acknowledged, p.asking = p.acknowledged, false
	} else {
		s.enqueue(p)
	}
}

// enqueue queues p, so that Redis is asked about it; the shard's mutex is held.
func (s *shard) enqueue(p *Poll) {
	p.asking = true
	p.woken = 0 // the answer will have all entries that were appended by now
	s.ask.add(p)
}

// askFor asks Redis about those of the polls that still wait. Redis may answer only the first of them; the others are put
// back.
func (r *Room) askFor(ctx context.Context, s *shard, polls []*Poll) {
	s.mutex.Lock()
	polls = slices.DeleteFunc(polls, func(p *Poll) bool { return !p.waits() })
	s.mutex.Unlock()
	if len(polls) == 0 {
		return
	}
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
	polls, rest := polls[:len(polled)], polls[len(polled):]
	answers, now := r.resolve(ctx, s.number, polls, polled), r.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(rest) > 0 {
		s.ask.putBack(rest)
	}
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
