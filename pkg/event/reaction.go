package event

import "chatserver.dev/pkg/id"

// ReactionChanged is sent when somebody added a reaction to a message, or removed it (events.md, section 3.6).
type ReactionChanged struct {
	Op        string     `json:"op" enum:"add,remove"`
	MessageID id.Message `json:"message_id"`
	User      Reactor    `json:"user"`
	Reaction

	Receivers Audience `json:"-"`
}

// Reactor is the account that reacted.
type Reactor struct {
	UserID   id.User `json:"user_id"`
	Email    string  `json:"email"`
	FullName string  `json:"full_name"`
}

// Kind implements [Event].
func (ReactionChanged) Kind() Kind { return Kind{Type: "reaction"} }

// Audience is who can see the message.
func (e ReactionChanged) Audience() Audience { return e.Receivers }
