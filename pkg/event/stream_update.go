package event

import "chatserver.dev/pkg/id"

// StreamUpdated is sent when a property of a stream changed, to those who see the stream and saw it before
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
	// Turned says that the same request made the stream private or public: outsiders are notified of that by a
	// [StreamDeleted] or [StreamCreated].
	Turned bool `json:"-"`
}

// Kind implements [Event].
func (StreamUpdated) Kind() Kind { return Kind{"stream", "update"} }

// Audience is who sees the stream.
func (e StreamUpdated) Audience() Audience { return seenBy(e.ID, e.Private || e.Turned) }
