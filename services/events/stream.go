package events

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/longpoll"
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
	return func(ctx context.Context, to *endpoint.Sender) error {
		poll := s.room.Join(q, queue.Acknowledged(q.ID, last), true) // that all is well, or what isn't, is said at once
		answer := poll.Answer(ctx)
		if err := refusal(q, last, &answer); err != nil {
			return err
		}
		out := &stream{
			q: q, form: form, to: to, buffer: []byte(streamHead), now: s.Now,
			until: s.Now().Add(streamTime + rand.N(streamSpread)), //nolint:gosec // chance, not secrecy
		}
		poll.Through(out.direct)
		for {
			if err := out.answer(ctx, &answer); err != nil || out.isOver() {
				return err
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

// stream is one that has begun.
type stream struct {
	q      *waiting.Queue
	form   event.Form
	to     *endpoint.Sender
	buffer []byte // what is to be sent; nil between answers, which may be far apart
	begun  bool   // of the next answer's event, a part was sent
	count  int    // events so far
	until  time.Time
	now    func() time.Time
}

func (s *stream) isOver() bool { return s.count >= streamEvents || s.now().After(s.until) }

// answer sends what a poll got.
func (s *stream) answer(ctx context.Context, answer *waiting.Answer) error {
	s.count += len(answer.Events)
	if s.begun {
		s.begun = false
		return s.to.Send(nil)
	}
	if err := reserve(ctx, answer); err != nil {
		return err
	}
	if answer.Heartbeat {
		s.buffer = append(s.buffer, streamBeat...)
	}
	for i, d := range answer.Events {
		if s.buffer == nil {
			s.buffer = make([]byte, 0, min(sizeOf(answer), streamPortion))
		}
		var err error
		if s.buffer, err = s.append(s.buffer, d); err != nil {
			return err
		}
		if len(s.buffer) >= streamPortion && i < len(answer.Events)-1 {
			if err := s.to.Send(s.buffer); err != nil {
				return err
			}
			s.buffer = s.buffer[:0]
		}
	}
	err := s.to.Send(s.buffer)
	s.buffer = nil
	return err
}

// append appends an event with its id.
func (s *stream) append(body []byte, d waiting.Delivery) ([]byte, error) {
	id := queue.EventID(s.q.ID, d.Number)
	body = strconv.AppendInt(append(body, "id: "...), id, 10)
	body, err := appendEvent(append(body, "\ndata: "...), s.q, s.form, d, id)
	return append(body, "\n\n"...), err
}

// direct is a [waiting.Direct]: most events are small, and most clients take them at once.
func (s *stream) direct(d waiting.Delivery, scratch []byte) (sent bool, used []byte) {
	if d.Event.Length() > streamPortion || s.count+1 >= streamEvents || s.isOver() {
		return false, scratch
	}
	used, err := s.append(scratch, d)
	if err != nil {
		return false, scratch // fails again, and is reported
	}
	switch s.to.TrySend(used) {
	case longpoll.Sent:
		s.count++
		return true, used
	case longpoll.Begun:
		s.begun = true
	case longpoll.Refused:
	}
	return false, used
}
