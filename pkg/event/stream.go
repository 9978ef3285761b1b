package event

import "chatserver.dev/pkg/id"

// Stream is a stream as clients see it (events.md, section 1.6.2).
type Stream struct {
	// ID is unique on the server.
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

// StreamCreated is sent to those who see a new stream, or see a stream for the first time (events.md, section 3.10).
type StreamCreated struct {
	Streams []Stream `json:"streams"`
	// To are the people who see it from now on. Nil: everyone who sees a new stream, which is
	// every administrator for a private one and everyone but guests for a public one.
	To []id.User `json:"-"`
	// Revealed says that the stream isn't new but was made public: those receive it who didn't see it before.
	Revealed bool `json:"-"`
}

// Kind implements [Event].
func (StreamCreated) Kind() Kind { return Kind{"stream", "create"} }

// Audience is who sees the stream from now on.
func (e StreamCreated) Audience() Audience {
	if e.Revealed {
		return Audience{Outsiders: e.Streams[0].ID}
	}
	if e.To != nil {
		return Audience{Users: e.To}
	}
	private := e.Streams[0].InviteOnly
	return Audience{NonGuests: !private, Admins: private}
}

// StreamDeleted is sent to those who saw a stream that was deactivated, or made private (events.md, section 7, row 20). For
// clients it ends all of its subscriptions; nothing else reports that (events.md, section 7, row 30). Those of a large stream end some later,
// by [SubscriptionsEnded].
type StreamDeleted struct {
	Streams []Stream `json:"streams"` // one, as it was before

	Unsubscribed []Membership `json:"-"`
	// Hidden says that the stream is still there but was made private: those receive it who no longer see it.
	Hidden bool `json:"-"`
}

// Kind implements [Event].
func (StreamDeleted) Kind() Kind { return Kind{"stream", "delete"} }

// Audience is who saw the stream.
func (e StreamDeleted) Audience() Audience {
	if e.Hidden {
		return Audience{Outsiders: e.Streams[0].ID}
	}
	return seenBy(e.Streams[0].ID, e.Streams[0].InviteOnly)
}

// Change returns the removed subscriptions.
func (e StreamDeleted) Change() *Change {
	if len(e.Unsubscribed) == 0 {
		return nil
	}
	return &Change{Unsubscribed: e.Unsubscribed}
}

// SubscriptionsEnded ends further subscriptions to a stream after [StreamDeleted]. Nobody receives it.
type SubscriptionsEnded struct {
	Unsubscribed []Membership `json:"-"`
}

// Kind implements [Event].
func (SubscriptionsEnded) Kind() Kind { return Kind{Type: "stream"} }

// Audience is nobody: for all clients, the stream is gone.
func (SubscriptionsEnded) Audience() Audience { return Audience{} }

// Change returns the removed subscriptions.
func (e SubscriptionsEnded) Change() *Change { return &Change{Unsubscribed: e.Unsubscribed} }

// StreamOccupied is sent to those who see a public stream that got its first subscriber. Deactivated accounts don't count.
type StreamOccupied struct {
	Streams []Stream `json:"streams"` // one

	Guests []id.User `json:"-"` // those among the new subscribers, who see the stream only because of that
}

// Kind implements [Event].
func (StreamOccupied) Kind() Kind { return Kind{"stream", "occupy"} }

// Audience is who sees the stream (events.md, section 7, row 19).
func (e StreamOccupied) Audience() Audience { return Audience{NonGuests: true, Users: e.Guests} }

// StreamVacated is sent when a public stream lost its last subscriber. Deactivated accounts don't count. No guest sees it any more.
type StreamVacated struct {
	Streams []Stream `json:"streams"` // one
}

// Kind implements [Event].
func (StreamVacated) Kind() Kind { return Kind{"stream", "vacate"} }

// Audience is who sees the stream.
func (StreamVacated) Audience() Audience { return Audience{NonGuests: true} }

// DefaultStreams is sent when the streams that new accounts are subscribed to changed (events.md, section 3.10). It has the
// whole list.
type DefaultStreams struct {
	Streams []Stream `json:"default_streams"` // by name
}

// Kind implements [Event].
func (DefaultStreams) Kind() Kind { return Kind{Type: "default_streams"} }

// Audience is everyone but guests.
func (DefaultStreams) Audience() Audience { return Audience{NonGuests: true} }

// seenBy returns the accounts that see a stream: its subscribers and, for a public one, everyone except guests, or for a
// private one, the administrators.
func seenBy(stream id.Stream, private bool) Audience {
	return Audience{NonGuests: !private, Admins: private, Subscribers: stream}
}
