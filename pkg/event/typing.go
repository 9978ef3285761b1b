package event

import "chatserver.dev/pkg/id"

// Typing is sent to the participants of a private conversation when one of them starts or stops typing (events.md,
// section 3.8).
type Typing struct {
	Op         string   `json:"op" enum:"start,stop"`
	Sender     Typist   `json:"sender"`
	Recipients []Typist `json:"recipients"` // all participants, with the sender
}

// Typist is a participant of a conversation.
type Typist struct {
	UserID id.User `json:"user_id"`
	Email  string  `json:"email"` // as others see it
}

// Kind implements [Event].
func (Typing) Kind() Kind { return Kind{Type: "typing"} }

// Audience is the participants.
func (e Typing) Audience() Audience {
	users := make([]id.User, len(e.Recipients))
	for i, r := range e.Recipients {
		users[i] = r.UserID
	}
	return Audience{Users: users}
}
