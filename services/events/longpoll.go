package events

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/waiting"
)

// longPoll is a poll that waits, and after it the next one of the same connection and queue.
type longPoll struct {
	s      *Service
	q      *waiting.Queue
	form   event.Form
	last   int64 // that the client acknowledged
	to     *endpoint.Sender
	client waiting.Client
	poll   *waiting.Poll // nil: it hasn't started
}

// wait answers the client when there is something.
func (p *longPoll) wait(ctx context.Context, to *endpoint.Sender) (body []byte, done bool, err error) {
	if p.poll != nil {
		got := p.poll.Got(ctx)
		body, err = encode(ctx, to.Memory(), p.q, p.form, p.last, &got)
		return body, true, err
	}
	if p.to == nil {
		p.to, p.client = to, waiting.Client{Wake: to.Wake, Direct: p.direct}
	}
	p.poll = p.s.room.JoinAs(p.client, p.q, queue.Acknowledged(p.q.ID, p.last), false)
	return nil, false, nil
}

// direct is for [waiting.Client]: most answers are one small event, which most clients take at once.
func (p *longPoll) direct(d waiting.Delivery, scratch []byte) (sent waiting.Sent, used []byte) {
	if d.Event.Length() > smallAnswer {
		return waiting.NotSent, scratch
	}
	one := [1]waiting.Delivery{d}
	used, err := appendAnswer(scratch, p.q, p.form, p.last, &waiting.Answer{Events: one[:]})
	if err != nil || !p.to.TryAnswer(used) {
		return waiting.NotSent, used // an error comes again, and is reported
	}
	return waiting.SentLast, used
}

// next is for [endpoint.Repeats]: the client acknowledges another id of the same queue.
func (p *longPoll) next(last int64) bool {
	if last < queue.NoEvent || !p.s.room.Knows(p.q) {
		return false
	}
	p.last, p.poll = last, nil
	return true
}
