package event

import (
	"bytes"
	"encoding/json"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
)

// Event is an event that clients receive. Its JSON encoding has the members that clients get, except for those of
// its [Kind], which [Encode] adds, and the id, which each queue assigns.
type Event interface {
	// Kind returns the kind of the event.
	Kind() Kind
	// Audience returns who receives it.
	Audience() Audience
}

// Changer is an [Event] that changes the audiences of later events.
type Changer interface {
	Event
	// Change returns the change, or nil.
	Change() *Change
}

// Kind is a kind of events, as encoded for clients (events.md, section 3).
type Kind struct {
	Type string // the member "type"
	Op   string // the member "op"; "": there is none, or its value differs from event to event
}

// Audience is a symbolic set of the accounts that receive an event: the union of the sets given by its fields.
type Audience struct {
	// Everyone is every active account of the organization.
	Everyone bool `json:"everyone,omitempty"`
	// NonGuests is every active account that is not a guest's.
	NonGuests bool `json:"non_guests,omitempty"`
	// Admins is every active account with an administrator's rights.
	Admins bool `json:"admins,omitempty"`
	// Subscribers is everyone subscribed to the stream.
	Subscribers id.Stream `json:"subscribers,omitempty"`
	// Outsiders is every active account that sees the stream only while it is public: it isn't a guest's, has
	// no administrator's rights, and isn't subscribed.
	Outsiders id.Stream `json:"outsiders,omitempty"`
	// Users are individual accounts, which receive it if they are active.
	Users []id.User `json:"users,omitempty"`
	// Except are accounts that don't receive it, even if they are in one of the sets.
	Except []id.User `json:"except,omitempty"`

	// The other fields are for messages and events about them.

	// Public says that queues with all public streams, or with a narrow, receive it, too.
	Public bool `json:"public,omitempty"`
	// Flags are the flags of every receiver's copy.
	Flags Flags `json:"flags,omitempty"`
	// FlagsOf are additional flags of some receivers' copies.
	FlagsOf FlagsOf `json:"flags_of,omitempty"`
	// Notify are the receivers whom an edit mentions and the message didn't before, or not personally, so that they are
	// notified as of a new message.
	Notify []id.User `json:"notify,omitempty"`
	// Deletion selects queues by whether their clients support the deletion of several messages in one
	// event.
	Deletion Deletion `json:"deletion,omitempty"`
	// Queue is the queue that gets LocalID (events.md, section 2.12).
	Queue   string `json:"queue,omitempty"`
	LocalID string `json:"local_id,omitempty"`
}

// everyone is embedded in events for everyone.
type everyone struct{}

// Audience is everyone.
func (everyone) Audience() Audience { return Audience{Everyone: true} }

// Deletion is the form of events about deleted messages (events.md, section 3.4).
type Deletion string

// The forms. The zero value is for every queue.
const (
	InBulk   Deletion = "bulk"   // all in one event, for clients that support it
	OneByOne Deletion = "single" // an event each, for the others
)

// Flags are the flags of a receiver's copy of a message (events.md, section 4.3).
type Flags uint16

// The flags, with the interface's bits.
const (
	Read              Flags = 1
	Starred           Flags = 2
	Collapsed         Flags = 4
	Mentioned         Flags = 8
	WildcardMentioned Flags = 16
	HasAlertWord      Flags = 512
	Historical        Flags = 1024
	// Delivered is only stored, and has no name: a mentioned bot received the message without being subscribed, so the
	// message isn't historical. Its row of flags also has Read once the bot has marked the message as read.
	Delivered Flags = 2048
)

// Names returns the flags' names as clients get them, in the order of their bits.
func (f Flags) Names() []string {
	names := make([]string, 0, 2)
	for _, n := range [...]struct {
		bit  Flags
		name string
	}{
		{Read, "read"},
		{Starred, "starred"},
		{Collapsed, "collapsed"},
		{Mentioned, "mentioned"},
		{WildcardMentioned, "wildcard_mentioned"},
		{HasAlertWord, "has_alert_word"},
		{Historical, "historical"},
	} {
		if f&n.bit != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// Change is an event's effect on the audiences of later events. It lists only actual
// changes, so that it can be undone.
type Change struct {
	Subscribed   []Membership    `json:"subscribed,omitempty"`
	Unsubscribed []Membership    `json:"unsubscribed,omitempty"`
	Accounts     []AccountChange `json:"accounts,omitempty"`
}

// Membership is a user's subscription to a stream.
type Membership struct {
	Stream id.Stream `json:"stream"`
	User   id.User   `json:"user"`
}

// AccountChange is a change of an account. Before is nil for a new one.
type AccountChange struct {
	User   id.User  `json:"user"`
	Before *Account `json:"before,omitempty"`
	After  Account  `json:"after"`
}

// Account is the properties of an account that audiences depend on.
type Account struct {
	Role   actor.Role    `json:"role"`
	Bot    actor.BotType `json:"bot,omitempty"`
	Active bool          `json:"active"`
}

// Encode returns the JSON that is recorded for e.
func Encode(e Event) ([]byte, error) {
	kind := e.Kind()
	body, err := marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", kind.Type, err)
	}
	opening := `{"type":"` + kind.Type + `"`
	if kind.Op != "" {
		opening += `,"op":"` + kind.Op + `"`
	}
	return splice(opening, body), nil
}

// ChangeOf returns the change of an event, or nil.
func ChangeOf(e Event) *Change {
	if changer, ok := e.(Changer); ok {
		return changer.Change()
	}
	return nil
}

// splice joins the beginning of an object, which has members, and the members of the object body.
func splice(opening string, body []byte) []byte {
	out := make([]byte, 0, len(opening)+len(body))
	out = append(out, opening...)
	if len(body) > len("{}") {
		out = append(out, ',')
	}
	return append(out, body[1:]...)
}

// marshal returns the JSON of v without escaping <, > and &, which are frequent in HTML.
func marshal(v any) ([]byte, error) {
	buffer := bytes.Buffer{}
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}
