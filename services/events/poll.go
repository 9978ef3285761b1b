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
func (s *Service) poll(ctx context.Context, who actor.Actor, in pollParams) ([]byte, endpoint.Deferred, error) {
	before, streams := endpoint.EventStream(ctx)
	if streams && before != "" { // a browser that reconnects repeats the query, with this header
		in.LastEventID = new(eventID)
		if in.LastEventID.ParseParam(before) != nil {
			return nil, nil, ErrBadHeader
		}
	}
	r, err := s.reader(ctx, who, in)
	if err != nil {
		return nil, nil, err
	}
	r.form = r.queue.Form
	r.form.StreamNames = compat.Names(ctx)
	switch {
	case in.DontBlock:
		got := s.room.Join(r.queue, queue.Acknowledged(r.last), true).Answer(ctx)
		body, err := r.encode(ctx, nil, &got)
		return body, nil, err
	case streams:
		return nil, s.stream(r), nil
	default:
		p := &longPoll{reader: r, s: s, waited: endpoint.Waited(ctx)}
		return nil, endpoint.RepeatedWait{Wait: p.wait, Next: p.next}, nil
	}
}

// reader is a client that polls a queue.
type reader struct {
	queue *waiting.Queue
	form  event.Form // of the events
	last  int64      // the id that the client acknowledges
}

// reader returns who reads which queue, without the form.
func (s *Service) reader(ctx context.Context, who actor.Actor, in pollParams) (reader, error) {
	if in.QueueID == nil && in.DontBlock {
		return s.registeredReader(ctx, who, in)
	}
	if in.QueueID == nil {
		return reader{}, ErrNoQueueID
	}
	if in.LastEventID == nil {
		return reader{}, ErrNoLastEventID
	}
	q, err := s.room.Find(ctx, *in.QueueID)
	if err != nil {
		return reader{}, err
	}
	if q == nil || q.Org != who.Org() {
		return reader{}, badQueue(*in.QueueID)
	}
	if q.User != who.User {
		return reader{}, ErrForeignQueue
	}
	last := int64(*in.LastEventID)
	if last < queue.NoEvent {
		return reader{}, ErrPruned.Format(last)
	}
	return reader{queue: q, last: last}, nil
}

// registeredReader registers a queue for a poll that names none.
func (s *Service) registeredReader(ctx context.Context, who actor.Actor, in pollParams) (reader, error) {
	registration := registerParams{
		ApplyMarkdown: in.ApplyMarkdown, ClientHostedAvatar: in.ClientHostedAvatar, SlimPresence: in.SlimPresence,
		AllPublicStreams: &in.AllPublicStreams, EventTypes: in.EventTypes, FetchEventTypes: &[]string{}, Narrow: in.Narrow, Lifetime: in.Lifetime,
		Capabilities: capabilities{BulkMessageDeletion: in.BulkDeletion},
	}
	if err := registration.Check(); err != nil {
		return reader{}, err
	}
	made, err := s.register(ctx, who, registration.descriptor(who), registration.request(ctx))
	if err != nil {
		return reader{}, err
	}
	q, err := s.room.Find(ctx, made.QueueID)
	if err == nil && q == nil {
		err = badQueue(made.QueueID)
	}
	return reader{queue: q, last: queue.NoEvent}, err
}

// refusal returns the error in an answer; nil: there is none.
func (r *reader) refusal(answer *waiting.Answer) error {
	switch {
	case answer.Err != nil:
		return answer.Err
	case answer.Lost || answer.Status == queue.Gone:
		return badQueue(r.queue.ID)
	case answer.Status == queue.Ahead:
		return ErrAhead.Format(r.last)
	case answer.Status == queue.Pruned:
		return ErrPruned.Format(r.last)
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

// encode appends an answer to body. It fails if the answer is an error or its memory can't be reserved.
func (r *reader) encode(ctx context.Context, body []byte, answer *waiting.Answer) ([]byte, error) {
	if err := r.refusal(answer); err != nil {
		return nil, err
	}
	if err := reserve(ctx, answer); err != nil {
		return nil, err
	}
	return r.appendAnswer(body, answer)
}

// appendAnswer appends an answer that isn't an error to body.
func (r *reader) appendAnswer(body []byte, answer *waiting.Answer) ([]byte, error) {
	body = slices.Grow(body, sizeOf(answer))
	body = append(body, `{"result":"success","msg":"","queue_id":`...)
	body = strconv.AppendQuote(body, r.queue.ID)
	body = append(body, `,"events":[`...)
	if answer.Heartbeat {
		body = event.AppendHeartbeat(body, queue.HeartbeatID(r.last))
	}
	for i, d := range answer.Events {
		if i > 0 {
			body = append(body, ',')
		}
		var err error
		if body, err = r.appendEvent(body, d); err != nil {
			return nil, err
		}
	}
	return append(body, "]}\n"...), nil
}

// appendEvent appends an event to body.
func (r *reader) appendEvent(body []byte, d waiting.Delivery) ([]byte, error) {
	return d.Event.Append(body, r.form, event.Copy{ID: queue.EventID(d.Number), Flags: d.Flags, LocalID: d.LocalID, User: r.queue.User})
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
