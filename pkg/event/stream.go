package event

import "chatserver.dev/pkg/id"

// Stream is a stream as clients see it (events.md, section 1.6.2).
type Stream struct {
	// ID is unique over the server.
	ID id.Stream `json:"stream_id"`
	// Name is unique among the organization's active streams, whatever its case.
	Name string `json:"name"`
	// Description is Markdown, on one line.
	Description string `json:"description"`
	// RenderedDescription is the description as HTML.
	RenderedDescription string `json:"rendered_description"`
	// InviteOnly is true for private streams, which only their subscribers can access.
	InviteOnly bool `json:"invite_only"`
	// IsWebPublic is true where the history may be read without an account.
	IsWebPublic bool `json:"is_web_public"`
	// PostPolicy says who may send: 1 everyone, 2 administrators, 3 only new members and administrators.
	PostPolicy int16 `json:"stream_post_policy"`
	// HistoryPublic is true where subscribers see what was sent before they came.
	HistoryPublic bool `json:"history_public_to_subscribers"`
	// FirstMessageID is the oldest message's; null for a stream without messages.
	FirstMessageID *id.Message `json:"first_message_id"`
	// RetentionDays is after how many days messages are deleted; null: as the organization says; -1: never.
	RetentionDays *int32 `json:"message_retention_days"`
	// IsAnnouncementOnly is the older form of a post policy of 2.
	IsAnnouncementOnly bool `json:"is_announcement_only"`
}

// StreamCreated tells those who may see a stream that it is there (events.md, section 3.10).
type StreamCreated struct {
	Streams []Stream
	// To are the people who see it from now on. Nil: everyone who sees a new stream, which is
	// every administrator for a private one and everyone but guests for a public one.
	To []id.User
}

// EventType gives the type on the wire.
func (StreamCreated) EventType() string { return typeStream }

// Audience gives who sees the stream from now on.
func (e StreamCreated) Audience() Audience {
	if e.To != nil {
		return Audience{Users: e.To}
	}
	private := e.Streams[0].InviteOnly
	return Audience{NonGuests: !private, Admins: private}
}

// Change is nil: a new stream has no subscribers yet.
func (StreamCreated) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e StreamCreated) MarshalJSON() ([]byte, error) { return streamsJSON("create", e.Streams) }

// StreamDeleted reports to those who could see a stream that it was deactivated. For clients it ends all of its
// subscriptions; nothing else reports that (events.md, section 7, row 30). Those of a large stream end some later,
// by [SubscriptionsEnded].
type StreamDeleted struct {
	Stream       Stream // as it was before
	Unsubscribed []Membership
}

// EventType gives the type on the wire.
func (StreamDeleted) EventType() string { return typeStream }

// Audience gives who could see the stream.
func (e StreamDeleted) Audience() Audience { return streamAudience(e.Stream) }

// Change gives the subscriptions that ended.
func (e StreamDeleted) Change() *Change {
	if len(e.Unsubscribed) == 0 {
		return nil
	}
	return &Change{Unsubscribed: e.Unsubscribed}
}

// MarshalJSON gives the event as clients get it.
func (e StreamDeleted) MarshalJSON() ([]byte, error) {
	return streamsJSON("delete", []Stream{e.Stream})
}

// SubscriptionsEnded ends more subscriptions to a stream that [StreamDeleted] has ended. Nobody hears of it.
type SubscriptionsEnded struct {
	Unsubscribed []Membership `json:"-"`
}

// EventType returns the type in the log.
func (SubscriptionsEnded) EventType() string { return typeStream }

// Audience is nobody: for all clients, the stream is gone.
func (SubscriptionsEnded) Audience() Audience { return Audience{} }

// Change returns the subscriptions that ended.
func (e SubscriptionsEnded) Change() *Change { return &Change{Unsubscribed: e.Unsubscribed} }

// StreamOccupied tells that a public stream got its first subscriber.
type StreamOccupied struct {
	Stream Stream
	Guests []id.User // those among the new subscribers, who see the stream only because of that
}

// EventType gives the type on the wire.
func (StreamOccupied) EventType() string { return typeStream }

// Audience gives who sees the stream (events.md, section 7, row 19).
func (e StreamOccupied) Audience() Audience { return Audience{NonGuests: true, Users: e.Guests} }

// Change is nil: [SubscriptionAdded] has it.
func (StreamOccupied) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e StreamOccupied) MarshalJSON() ([]byte, error) {
	return streamsJSON("occupy", []Stream{e.Stream})
}

// StreamVacated tells that a public stream lost its last subscriber. No guest sees it any more.
type StreamVacated struct{ Stream Stream }

// EventType gives the type on the wire.
func (StreamVacated) EventType() string { return typeStream }

// Audience gives who sees the stream.
func (StreamVacated) Audience() Audience { return Audience{NonGuests: true} }

// Change is nil: [SubscriptionRemoved] has it.
func (StreamVacated) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e StreamVacated) MarshalJSON() ([]byte, error) {
	return streamsJSON("vacate", []Stream{e.Stream})
}

// DefaultStreams gives the whole list of the streams that new accounts are subscribed to.
type DefaultStreams struct {
	Streams []Stream `json:"default_streams"` // by name
}

// EventType gives the type on the wire.
func (DefaultStreams) EventType() string { return "default_streams" }

// Audience is everyone but guests.
func (DefaultStreams) Audience() Audience { return Audience{NonGuests: true} }

// Change is nil.
func (DefaultStreams) Change() *Change { return nil }

const typeStream = "stream"

func streamsJSON(op string, streams []Stream) ([]byte, error) {
	return marshal(struct {
		Op      string   `json:"op"`
		Streams []Stream `json:"streams"`
	}{op, streams})
}

// streamAudience is who sees a stream: its subscribers, and everyone but guests for a public one,
// administrators for a private one.
func streamAudience(s Stream) Audience {
	return Audience{NonGuests: !s.InviteOnly, Admins: s.InviteOnly, Subscribers: s.ID}
}
