package event

import "chatserver.dev/pkg/id"

// MessageFlagsUpdated tells accounts that messages got or lost a flag in their own view (events.md,
// section 3.5).
type MessageFlagsUpdated struct {
	// Users are whose flag it is; each hears of it alone.
	Users []id.User `json:"-"`
	// Operation is add or remove.
	Operation string `json:"operation"`
	// Flag is the flag's name: read, starred or collapsed.
	Flag string `json:"flag"`
	// Messages are those meant, in the order of the request; none where All is set.
	Messages []id.Message `json:"messages"`
	// All says that it is about every message there is: everything was marked as read.
	All bool `json:"all"`
}

// What happens to flags.
const (
	AddFlag    = "add"
	RemoveFlag = "remove"
)

// MarkedRead is the event of messages that were marked as read.
func MarkedRead(messages []id.Message, users ...id.User) MessageFlagsUpdated {
	return MessageFlagsUpdated{Users: users, Operation: AddFlag, Flag: "read", Messages: messages}
}

// EventType gives the type on the wire.
func (MessageFlagsUpdated) EventType() string { return "update_message_flags" }

// Audience is whose flags they are.
func (e MessageFlagsUpdated) Audience() Audience { return Audience{Users: e.Users} }

// Change gives none.
func (MessageFlagsUpdated) Change() *Change { return nil }
