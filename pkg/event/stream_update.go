package event

import "chatserver.dev/pkg/id"

// StreamUpdated tells those who see a stream, and saw it before, that a property of it changed
// (events.md, section 3.10).
type StreamUpdated struct {
	ID   id.Stream `json:"stream_id"`
	Name string    `json:"name"` // before the change
	// Property is the name of what changed: name, email_address, description, invite_only,
	// stream_post_policy, is_announcement_only or message_retention_days.
	Property string `json:"property"`
	Value    any    `json:"value"`
	// RenderedDescription comes with a description.
	RenderedDescription *string `json:"rendered_description,omitempty"`
	// HistoryPublic comes with invite_only.
	HistoryPublic *bool `json:"history_public_to_subscribers,omitempty"`

	Private bool `json:"-"` // the stream is, after the change
	// Turned says that the same request made the stream private or public: outsiders hear of that in
	// another way, [StreamHidden] or [StreamRevealed].
	Turned bool `json:"-"`
}

// EventType gives the type on the wire.
func (StreamUpdated) EventType() string { return typeStream }

// Audience gives who sees the stream.
func (e StreamUpdated) Audience() Audience {
	return streamAudience(Stream{ID: e.ID, InviteOnly: e.Private || e.Turned})
}

// Change is nil.
func (StreamUpdated) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e StreamUpdated) MarshalJSON() ([]byte, error) {
	type members StreamUpdated
	body, err := marshal(members(e))
	if err != nil {
		return nil, err
	}
	return splice(`{"op":"update"`, body), nil
}

// StreamHidden tells those who no longer see a stream that it is gone for them: it was made private
// (events.md, section 7, row 20).
type StreamHidden struct{ Stream Stream } // as it was before

// EventType gives the type on the wire.
func (StreamHidden) EventType() string { return typeStream }

// Audience gives who sees public streams only.
func (e StreamHidden) Audience() Audience { return Audience{Outsiders: e.Stream.ID} }

// Change is nil.
func (StreamHidden) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e StreamHidden) MarshalJSON() ([]byte, error) {
	return streamsJSON("delete", []Stream{e.Stream})
}

// StreamRevealed tells those who didn't see a stream that it is there: it was made public.
type StreamRevealed struct{ Stream Stream }

// EventType gives the type on the wire.
func (StreamRevealed) EventType() string { return typeStream }

// Audience gives who sees public streams only.
func (e StreamRevealed) Audience() Audience { return Audience{Outsiders: e.Stream.ID} }

// Change is nil.
func (StreamRevealed) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e StreamRevealed) MarshalJSON() ([]byte, error) {
	return streamsJSON("create", []Stream{e.Stream})
}
