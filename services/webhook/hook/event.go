package hook

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/spelling"
)

// ErrUnexpected is the fault for an event of an unknown kind.
var ErrUnexpected = fault.New(fault.Invalid, "UNEXPECTED_WEBHOOK_EVENT_TYPE", "The '%s' event isn't currently supported by the %s webhook")

// maxKind is the maximum number of characters of an unknown kind that its fault repeats.
const maxKind = 100

// Event is what a third party reports.
type Event struct {
	Document
	// OwnTopic says that the request names a topic, which doesn't say what the event is about, so the content has to.
	OwnTopic bool
}

// Report returns the messages about an event; none: the event is ignored.
type Report func(Event) []Message

// Dispatch sends the messages about an event as the caller, one at a time. reports has a report for each known kind, or
// nil for a kind that is ignored. Other kinds fail with [ErrUnexpected], and a payload that isn't an object or doesn't name what the event
// happened to fails with [ErrPayload].
func (h *Hook) Dispatch(ctx context.Context, who actor.Actor, to Target, kind string, payload any, reports map[string]Report) (endpoint.Nothing, error) {
	report, known := reports[kind]
	if !known {
		return endpoint.Nothing{}, h.Unexpected(kind)
	}
	if report == nil {
		return endpoint.Nothing{}, nil
	}
	_, object := payload.(map[string]any)
	messages := report(Event{Document: NewDocument(payload), OwnTopic: to.Stream != nil && to.Topic != nil})
	if !object || slices.ContainsFunc(messages, nameless) {
		return endpoint.Nothing{}, h.Invalid(ctx, who)
	}
	return h.Send(ctx, who, to, messages...)
}

// nameless reports whether a message has no topic: topics of events are what the event happened to. A payload without
// it isn't one of the integration's third party.
func nameless(m Message) bool { return spelling.IsBlank(m.Topic) }

// Unexpected returns [ErrUnexpected] for a kind of event.
func (h *Hook) Unexpected(kind string) error {
	kind = Cut(Line(kind), maxKind)
	return ErrUnexpected.Format(kind, h.product).With("webhook_name", h.product).With("event_type", kind)
}
