package events

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/waiting"
)

// A stream ends after either of these, and its client comes back: that is how it acknowledges.
const (
	// streamEvents is how many events a stream has, but for those of the last answer.
	streamEvents = 1000
	// streamTime is how long a stream lasts; as much as streamSpread more, by chance, lest many clients come back at once.
	streamTime, streamSpread = 9 * time.Minute, 2 * time.Minute
	// streamPortion is how many bytes of events are sent at a time, or one event.
	streamPortion = 64 << 10
)

const (
	// streamHead begins a stream. Its client comes back half a second after the end.
	streamHead = "retry: 500\n\n"
	// streamBeat is a comment, which shows that the connection works.
	streamBeat = ":\n\n"
)

// stream sends events as they come to the client of a poll that acknowledged an id. The queue keeps them until the client
// acknowledges them with its next request.
func (s *Service) stream(q *waiting.Queue, form event.Form, last int64) endpoint.Stream {
	return func(ctx context.Context, send func(events []byte) error) error {
		poll := s.room.Join(q, queue.Acknowledged(q.ID, last), true) // that all is well, or what isn't, is said at once
		answer := poll.Answer(ctx)
		if err := refusal(q, last, &answer); err != nil {
			return err
		}
		out := portions{q: q, form: form, send: send, buffer: []byte(streamHead)}
		until := s.Now().Add(streamTime + rand.N(streamSpread)) //nolint:gosec // chance, not secrecy
		for count := 0; ; {
			if err := out.answer(ctx, &answer); err != nil {
				return err
			}
			if count += len(answer.Events); count >= streamEvents || s.Now().After(until) {
				return nil
			}
			poll.Again()
			answer = poll.Answer(ctx)
			// What went wrong the client learns when it comes back.
			if !answer.Heartbeat && len(answer.Events) == 0 {
				return nil
			}
		}
	}
}

// portions sends a stream.
type portions struct {
	q      *waiting.Queue
	form   event.Form
	send   func(events []byte) error
	buffer []byte // what is to be sent; nil between answers, which may be far apart
}

// answer sends what a poll got.
func (p *portions) answer(ctx context.Context, answer *waiting.Answer) error {
	if err := reserve(ctx, answer); err != nil {
		return err
	}
	if answer.Heartbeat {
		p.buffer = append(p.buffer, streamBeat...)
	}
	for i, d := range answer.Events {
		if p.buffer == nil {
			p.buffer = make([]byte, 0, min(sizeOf(answer), streamPortion))
		}
		id := queue.EventID(p.q.ID, d.Number)
		p.buffer = strconv.AppendInt(append(p.buffer, "id: "...), id, 10)
		p.buffer = append(p.buffer, "\ndata: "...)
		var err error
		if p.buffer, err = appendEvent(p.buffer, p.q, p.form, d, id); err != nil {
			return err
		}
		p.buffer = append(p.buffer, "\n\n"...)
		if len(p.buffer) >= streamPortion && i < len(answer.Events)-1 {
			if err := p.send(p.buffer); err != nil {
				return err
			}
			p.buffer = p.buffer[:0]
		}
	}
	err := p.send(p.buffer)
	p.buffer = nil
	return err
}
