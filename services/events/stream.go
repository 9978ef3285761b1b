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
	// streamEvents is how many events a stream has, except for those of the last answer.
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
	out := &stream{
		room: s.room, q: q, form: form, last: last, buffer: []byte(streamHead), now: s.Now,
		until: s.Now().Add(streamTime + rand.N(streamSpread)), //nolint:gosec // chance, not secrecy
	}
	return out.step
}

// stream is one that is under way.
type stream struct {
	room   *waiting.Room
	q      *waiting.Queue
	form   event.Form
	last   int64         // that the client acknowledged
	poll   *waiting.Poll // nil: nobody was asked yet
	to     *endpoint.Sender
	buffer []byte // what to send; nil between answers, which may be far apart
	begun  bool   // of the next answer's event, a part was sent
	first  bool   // an answer was sent
	count  int    // events so far
	until  time.Time
	now    func() time.Time
}

// step sends what there is.
func (s *stream) step(ctx context.Context, to *endpoint.Sender) (done bool, err error) {
	if s.poll == nil { // that all is well, or what isn't, is said at once
		s.to = to
		s.poll = s.room.JoinAs(waiting.Client{Wake: to.Wake, Direct: s.direct}, s.q, queue.Acknowledged(s.q.ID, s.last), true)
		return false, nil
	}
	answer := s.poll.Got(ctx)
	switch {
	case !s.first:
		if err := refusal(s.q, s.last, &answer); err != nil {
			return true, err
		}
		s.first = true
	case !answer.Heartbeat && len(answer.Events) == 0: // what went wrong the client learns when it comes back
		return true, nil
	}
	if err := s.answer(ctx, &answer); err != nil || s.isOver() {
		return true, err
	}
	s.poll.Again()
	return false, nil
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

// direct is for [waiting.Client]: most events are small, and most clients take them at once.
func (s *stream) direct(d waiting.Delivery, scratch []byte) (sent waiting.Sent, used []byte) {
	if d.Event.Length() > streamPortion || s.count+1 >= streamEvents || s.isOver() {
		return waiting.NotSent, scratch
	}
	used, err := s.append(scratch, d)
	if err != nil {
		return waiting.NotSent, scratch // fails again, and is reported
	}
	switch s.to.TrySend(used) {
	case longpoll.Sent:
		s.count++
		return waiting.SentOne, used
	case longpoll.Begun:
		s.begun = true
	case longpoll.Refused:
	}
	return waiting.NotSent, used
}
