package events

import (
	"context"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/waiting"
)

// longPoll is a waiting poll. It is reused for the next poll of the same connection and queue.
type longPoll struct {
	reader

	s      *Service
	to     *endpoint.Sender
	client waiting.Client
	waited time.Duration // by the client, before its connection was served
	poll   *waiting.Poll // nil: it hasn't started
}

// wait starts the poll, or returns its answer if it has one.
func (p *longPoll) wait(ctx context.Context, to *endpoint.Sender) (body []byte, done bool, err error) {
	if p.poll != nil {
		got := p.poll.Got(ctx)
		body, err = p.encode(ctx, to.Memory(), &got)
		return body, true, err
	}
	if p.to == nil {
		p.to, p.client = to, waiting.Client{Wake: to.Wake, Direct: p.direct}
	}
	p.client.Waited, p.waited = p.waited, 0 // a later poll of the connection didn't wait
	p.poll = p.s.room.JoinAs(p.client, p.queue, queue.Acknowledged(p.last), false)
	return nil, false, nil
}

// direct is called by [waiting.Client]. It sends the answer without a goroutine in the usual case: one small event, and
// a client that can receive it without waiting.
func (p *longPoll) direct(d waiting.Delivery, _ time.Time, scratch []byte) (sent waiting.Sent, used []byte) {
	if d.Event.Length() > smallAnswer {
		return waiting.NotSent, scratch
	}
	one := [1]waiting.Delivery{d}
	used, err := p.appendAnswer(scratch, &waiting.Answer{Events: one[:]})
	if err != nil || !p.to.TryAnswer(used) {
		return waiting.NotSent, used // an error occurs again in wait, which reports it
	}
	return waiting.SentLast, used
}

// next is called by [endpoint.RepeatedWait] when the client acknowledges another id of the same queue.
func (p *longPoll) next(last int64) bool {
	if last < queue.NoEvent || !p.s.room.Knows(p.queue) {
		return false
	}
	p.last, p.poll = last, nil
	return true
}
