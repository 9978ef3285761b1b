package events

import (
	"context"
	"slices"
	"strconv"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/compat"
	"chatserver.dev/services/events/waiting"
)

const (
	// largeAnswer is the size in bytes above which an answer has to reserve its memory.
	largeAnswer = 256 << 10
	// smallAnswer is the maximum size in bytes of an event that is sent without a goroutine.
	smallAnswer = 64 << 10
	// answerFactor is the memory that an answer takes while it is sent, as a multiple of its size.
	answerFactor = 4
)

// Errors of polls (events.md, section 2.4).
var (
	ErrNoQueueID     = fault.Bad("Missing 'queue_id' argument")
	ErrNoLastEventID = fault.Bad("Missing 'last_event_id' argument")
	ErrBadQueue      = fault.New(fault.Invalid, "BAD_EVENT_QUEUE_ID", "Bad event queue id: %s")
	ErrForeignQueue  = fault.Bad("You are not authorized to get events from this queue")
	ErrPruned        = fault.Bad("An event newer than %d has already been pruned!")
	ErrAhead         = fault.Bad("Event %d was not in this queue")
	ErrBadHeader     = fault.Bad("The header Last-Event-ID must be the id of an event, a whole number")
)

type pollParams struct {
	// Queue to read.
	QueueID *string `param:"queue_id"`
	// Highest ID of the events and heartbeats that the client has processed; they are dropped from the queue.
	LastEventID *eventID `param:"last_event_id"`
	// Whether to answer at once, even if there are no events.
	DontBlock bool `param:"dont_block" default:"false"`

	// With dont_block and without queue_id, a queue is registered with these.

	ApplyMarkdown      bool           `param:"apply_markdown" default:"false"`                                // as in the registration; only without queue_id
	ClientHostedAvatar bool           `param:"client_hosted_avatar" compat:"client_gravatar" default:"false"` // as in the registration; only without queue_id
	SlimPresence       bool           `param:"slim_presence" default:"false"`                                 // as in the registration; only without queue_id
	AllPublicStreams   bool           `param:"all_public_streams" default:"false"`                            // as in the registration; only without queue_id
	EventTypes         *[]string      `param:"event_types"`                                                   // as in the registration; only without queue_id
	Narrow             [][]string     `param:"narrow" default:"[]"`                                           // as in the registration; only without queue_id
	BulkDeletion       bool           `param:"bulk_message_deletion" default:"false"`                         // the capability bulk_message_deletion of the registration; only without queue_id
	Lifetime           endpoint.NNInt `param:"lifespan_secs" default:"0"`                                     // queue_lifespan_secs of the registration; only without queue_id
}

// eventID is an integer that may be negative; any other text is REQUEST_VARIABLE_INVALID.
type eventID int64

// ParseParam parses a decimal integer.
func (e *eventID) ParseParam(raw string) error {
	number, err := strconv.ParseInt(raw, 10, 64)
	*e = eventID(number)
	return err
}

// Poll answers with the events of a queue that the client hasn't acknowledged. Where there are none,
// it waits for one. A client that accepts text/event-stream receives them as server-sent events, as they come.
func Poll(s *Service) endpoint.Endpoint {
	return endpoint.Raw(endpoint.About{
		Route:          "GET /events",
		Who:            permit.Anyone,
		CountedLocally: true,
		Streams:        true,
		Faults:         endpoint.Faults{ErrNoQueueID, ErrNoLastEventID, ErrBadQueue, ErrForeignQueue, ErrPruned, ErrAhead, ErrBadHeader},
	}, s.poll)
}

// poll begins a poll or a stream. With dont_block, it returns the answer at once.
func (s *Service) poll(ctx context.Context, who actor.Actor, in pollParams) ([]byte, endpoint.Later, error) {
	before, streams := endpoint.EventStream(ctx)
	if streams && before != "" { // a browser that reconnects repeats the query, with this header
		in.LastEventID = new(eventID)
		if in.LastEventID.ParseParam(before) != nil {
			return nil, nil, ErrBadHeader
		}
	}
	q, last, err := s.asked(ctx, who, in)
	if err != nil {
		return nil, nil, err
	}
	form := q.Form
	form.StreamNames = compat.Names(ctx)
	if streams && !in.DontBlock {
		return nil, s.stream(q, form, last), nil
	}
	if !in.DontBlock {
		p := &longPoll{s: s, q: q, form: form, last: last, waited: endpoint.Waited(ctx)}
		return nil, endpoint.Repeats{Wait: p.wait, Next: p.next}, nil
	}
	got := s.room.Join(q, queue.Acknowledged(last), true).Answer(ctx)
	body, err := encode(ctx, nil, q, form, last, &got)
	return body, nil, err
}

// asked returns the queue that a poll is about, and the id that its client acknowledges.
func (s *Service) asked(ctx context.Context, who actor.Actor, in pollParams) (q *waiting.Queue, last int64, err error) {
	if in.QueueID == nil && !in.DontBlock {
		return nil, 0, ErrNoQueueID
	}
	if in.QueueID == nil {
		registration := registerParams{
			ApplyMarkdown: in.ApplyMarkdown, ClientHostedAvatar: in.ClientHostedAvatar, SlimPresence: in.SlimPresence,
			AllPublicStreams: &in.AllPublicStreams, EventTypes: in.EventTypes, FetchEventTypes: &[]string{}, Narrow: in.Narrow, Lifetime: in.Lifetime,
			Capabilities: capabilities{BulkMessageDeletion: in.BulkDeletion},
		}
		if err := registration.Check(); err != nil {
			return nil, 0, err
		}
		made, err := s.register(ctx, who, registration.descriptor(who), registration.request(ctx))
		if err != nil {
			return nil, 0, err
		}
		q, err = s.room.Find(ctx, made.QueueID)
		if err == nil && q == nil {
			err = badQueue(made.QueueID)
		}
		return q, queue.NoEvent, err
	}
	if in.LastEventID == nil {
		return nil, 0, ErrNoLastEventID
	}
	q, err = s.room.Find(ctx, *in.QueueID)
	if err != nil {
		return nil, 0, err
	}
	if q == nil || q.Org != who.Org() {
		return nil, 0, badQueue(*in.QueueID)
	}
	if q.User != who.User {
		return nil, 0, ErrForeignQueue
	}
	if last = int64(*in.LastEventID); last < queue.NoEvent {
		return nil, 0, ErrPruned.Format(last)
	}
	return q, last, nil
}

// refusal returns the error for a client that acknowledged an id; nil: there is none.
func refusal(q *waiting.Queue, last int64, answer *waiting.Answer) error {
	switch {
	case answer.Err != nil:
		return answer.Err
	case answer.Lost || answer.Status == queue.Gone:
		return badQueue(q.ID)
	case answer.Status == queue.Ahead:
		return ErrAhead.Format(last)
	case answer.Status == queue.Pruned:
		return ErrPruned.Format(last)
	}
	return nil
}

// reserve reserves memory for a large answer. It fails instead of waiting: the events would stay in memory meanwhile,
// and they are still in the queue.
func reserve(ctx context.Context, answer *waiting.Answer) error {
	if size := sizeOf(answer); size > largeAnswer {
		return endpoint.ReserveNow(ctx, answerFactor*int64(size))
	}
	return nil
}

// encode appends the answer for a client that acknowledged an id to body, in the client's form. It fails if the answer
// is an error or its memory can't be reserved.
func encode(ctx context.Context, body []byte, q *waiting.Queue, form event.Form, last int64, answer *waiting.Answer) ([]byte, error) {
	if err := refusal(q, last, answer); err != nil {
		return nil, err
	}
	if err := reserve(ctx, answer); err != nil {
		return nil, err
	}
	return appendAnswer(body, q, form, last, answer)
}

// appendAnswer appends the answer to a client that acknowledged an id.
func appendAnswer(body []byte, q *waiting.Queue, form event.Form, last int64, answer *waiting.Answer) ([]byte, error) {
	body = slices.Grow(body, sizeOf(answer))
	body = append(body, `{"result":"success","msg":"","queue_id":`...)
	body = strconv.AppendQuote(body, q.ID)
	body = append(body, `,"events":[`...)
	if answer.Heartbeat {
		body = event.AppendHeartbeat(body, queue.HeartbeatID(last))
	}
	for i, d := range answer.Events {
		if i > 0 {
			body = append(body, ',')
		}
		var err error
		if body, err = appendEvent(body, q, form, d, queue.EventID(d.Number)); err != nil {
			return nil, err
		}
	}
	return append(body, "]}\n"...), nil
}

// appendEvent appends an event to body in the client's form, with an id.
func appendEvent(body []byte, q *waiting.Queue, form event.Form, d waiting.Delivery, as int64) ([]byte, error) {
	return d.Event.Append(body, form, event.Copy{ID: as, Flags: d.Flags, LocalID: d.LocalID, User: q.User})
}

// sizeOf estimates the size of an answer, in bytes.
func sizeOf(answer *waiting.Answer) int {
	size := 128
	for _, d := range answer.Events {
		size += d.Event.Length() + 128
	}
	return size
}

func badQueue(name string) error { return ErrBadQueue.Format(name).With("queue_id", name) }
