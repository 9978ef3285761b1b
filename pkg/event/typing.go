package event

import "chatserver.dev/pkg/id"

// Typing tells the participants of a private conversation that one of them begins or ends to type
// (events.md, section 3.8).
type Typing struct {
	Op         string   `json:"op"` // start or stop
	Sender     Typist   `json:"sender"`
	Recipients []Typist `json:"recipients"` // all participants, with the sender
}

// Typist is a participant of a conversation.
type Typist struct {
	UserID id.User `json:"user_id"`
	Email  string  `json:"email"` // as others see it
}

// EventType is typing.
func (Typing) EventType() string { return "typing" }

// Audience is the participants.
func (e Typing) Audience() Audience {
	users := make([]id.User, len(e.Recipients))
	for i, r := range e.Recipients {
		users[i] = r.UserID
	}
	return Audience{Users: users}
}

// Change is none.
func (Typing) Change() *Change { return nil }
