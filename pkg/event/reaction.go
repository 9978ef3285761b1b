package event

import "chatserver.dev/pkg/id"

// ReactionChanged tells that somebody put an emoji on a message, or took it away (events.md, section
// 3.6).
type ReactionChanged struct {
	Op        string     `json:"op"` // add or remove
	MessageID id.Message `json:"message_id"`
	User      Reactor    `json:"user"`
	Reaction

	Receivers Audience `json:"-"`
}

// Reactor is who reacted, as events name them.
type Reactor struct {
	UserID   id.User `json:"user_id"`
	Email    string  `json:"email"`
	FullName string  `json:"full_name"`
}

// EventType gives the type on the wire.
func (ReactionChanged) EventType() string { return "reaction" }

// Audience gives who has the message before them.
func (e ReactionChanged) Audience() Audience { return e.Receivers }

// Change is nil.
func (ReactionChanged) Change() *Change { return nil }
