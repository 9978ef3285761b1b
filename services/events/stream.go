package events

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/longpoll"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/waiting"
)

// A stream ends after either of these. Its client then reconnects, and so acknowledges the events.
const (
	// streamEvents is the number of events after which a stream ends. The last answer may exceed it.
	streamEvents = 1000
	// streamTime is how long a stream lasts. A random part of streamSpread is added, so that clients don't all
	// reconnect at once.
	streamTime, streamSpread = 9 * time.Minute, 2 * time.Minute
	// streamFlush is the number of bytes after which events are sent; a larger event is sent whole.
	streamFlush = 64 << 10
)

const (
	// streamHead is the beginning of a stream. It makes the client reconnect half a second after the end.
	streamHead = "retry: 500\n\n"
	// streamBeat is a heartbeat: a comment, which shows that the connection works.
	streamBeat = ":\n\n"
)

// stream sends events to a client, beginning after the id that it acknowledged. The queue keeps them until the client
// acknowledges them with its next request.
func (s *Service) stream(r reader) endpoint.Stream {
	out := &stream{
		reader: r, room: s.room, buffer: []byte(streamHead), now: s.Now,
		until: s.Now().Add(streamTime + rand.N(streamSpread)), //nolint:gosec // chance, not secrecy
	}
	return out.step
}

// stream is the state of a stream of events to a client.
type stream struct {
	reader

	room   *waiting.Room
	poll   *waiting.Poll // nil: it hasn't begun
	to     *endpoint.Sender
	buffer []byte // data to send; nil between answers, which may be far apart
	begun  bool   // a part of the next answer's event was sent
	first  bool   // an answer was sent
	count  int    // events so far
	until  time.Time
	now    func() time.Time
}

// step begins the stream's poll, or sends its answer.
func (s *stream) step(ctx context.Context, to *endpoint.Sender) (done bool, err error) {
	if s.poll == nil { // the first answer comes at once, so that errors are reported
		s.to = to
		s.poll = s.room.JoinAs(waiting.Client{Wake: to.Wake, Direct: s.direct}, s.queue, queue.Acknowledged(s.last), true)
		return false, nil
	}
	answer := s.poll.Got(ctx)
	switch {
	case !s.first:
		if err := s.refusal(&answer); err != nil {
			return true, err
		}
		s.first = true
	case !answer.Heartbeat && len(answer.Events) == 0: // an error is reported when the client reconnects
		return true, nil
	}
	if err := s.answer(ctx, &answer); err != nil || s.isOver(s.now()) {
		return true, err
	}
	s.poll.Again()
	return false, nil
}

func (s *stream) isOver(now time.Time) bool { return s.count >= streamEvents || now.After(s.until) }

// answer sends the answer of a poll.
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
			s.buffer = make([]byte, 0, min(sizeOf(answer), streamFlush))
		}
		var err error
		if s.buffer, err = s.append(s.buffer, d); err != nil {
			return err
		}
		if len(s.buffer) >= streamFlush && i < len(answer.Events)-1 {
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
	body = strconv.AppendInt(append(body, "id: "...), queue.EventID(d.Number), 10)
	body, err := s.appendEvent(append(body, "\ndata: "...), d)
	return append(body, "\n\n"...), err
}

// direct is called by [waiting.Client]. It sends an event without a goroutine in the usual case: a small event, and a
// client that can receive it without waiting.
func (s *stream) direct(d waiting.Delivery, now time.Time, scratch []byte) (sent waiting.Sent, used []byte) {
	if d.Event.Length() > streamFlush || s.count+1 >= streamEvents || s.isOver(now) {
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
