package event

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

// Form is what a client asked for when it registered: the parts of events that differ by client
// (events.md, section 2.13).
type Form struct {
	Markdown     bool `json:"markdown,omitempty"`      // message content as HTML
	HostedAvatar bool `json:"hosted_avatar,omitempty"` // null for avatars on a third party's host
	SlimPresence bool `json:"slim_presence,omitempty"`
	BulkDeletion bool `json:"bulk_deletion,omitempty"`
}

// Recorded is an event as the log has it, ready to be delivered in each form. Each form is encoded
// once, however many clients get it. It is safe for concurrent use.
type Recorded struct {
	payload []byte
	message bool

	mutex sync.Mutex
	forms map[Form][]byte
}

// heartbeat is the event that only says that the connection lives.
const heartbeat = `{"type":"heartbeat"}`

// Heartbeat is the event that is sent to a waiting client so that it knows the server lives.
func Heartbeat() *Recorded { return &Recorded{payload: []byte(heartbeat)} }

// Decode makes a recorded event out of the log's JSON.
func Decode(payload []byte) *Recorded {
	const messagePrefix = `{"type":"message",`
	message := len(payload) > len(messagePrefix) && string(payload[:len(messagePrefix)]) == messagePrefix
	return &Recorded{payload: payload, message: message}
}

// Copy is what belongs to one queue's copy of an event.
type Copy struct {
	ID      int64 // in the queue
	Flags   Flags
	LocalID string // "": none
}

// Append appends the event's JSON in one client's form to buf.
func (r *Recorded) Append(buf []byte, form Form, c Copy) ([]byte, error) {
	body := r.payload
	if r.message {
		encoded, err := r.messageForm(form)
		if err != nil {
			return buf, err
		}
		body = encoded
	}
	buf = append(buf, `{"id":`...)
	buf = strconv.AppendInt(buf, c.ID, 10)
	if r.message {
		buf = append(buf, `,"flags":[`...)
		for i, name := range c.Flags.Names() {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = strconv.AppendQuote(buf, name)
		}
		buf = append(buf, ']')
		if c.LocalID != "" {
			quoted, err := marshal(c.LocalID)
			if err != nil {
				return buf, fmt.Errorf("encode local id: %w", err)
			}
			buf = append(buf, `,"local_message_id":`...)
			buf = append(buf, quoted...)
		}
	}
	buf = append(buf, ',')
	return append(buf, body[1:]...), nil
}

// messageForm gives the message event in one form, encoded at its first use.
func (r *Recorded) messageForm(form Form) ([]byte, error) {
	form.SlimPresence, form.BulkDeletion = false, false // nothing of a message depends on them
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if encoded, ok := r.forms[form]; ok {
		return encoded, nil
	}
	recorded := struct {
		Message json.RawMessage `json:"message"`
		messageForms
	}{}
	if err := json.Unmarshal(r.payload, &recorded); err != nil {
		return nil, fmt.Errorf("decode message event: %w", err)
	}
	chosen := struct {
		Content     string  `json:"content"`
		ContentType string  `json:"content_type"`
		AvatarURL   *string `json:"avatar_url"`
	}{recorded.Raw, "text/x-markdown", &recorded.AvatarURL}
	if form.Markdown {
		chosen.Content, chosen.ContentType = recorded.Rendered, "text/html"
	}
	if form.HostedAvatar && recorded.AvatarHosted {
		chosen.AvatarURL = nil
	}
	rest, err := marshal(chosen)
	if err != nil {
		return nil, fmt.Errorf("encode message event: %w", err)
	}
	encoded := append([]byte(`{"type":"message","message":`), recorded.Message[:len(recorded.Message)-1]...)
	encoded = append(encoded, ',')
	encoded = append(encoded, rest[1:]...)
	encoded = append(encoded, '}')
	if r.forms == nil {
		r.forms = map[Form][]byte{}
	}
	r.forms[form] = encoded
	return encoded, nil
}

// Length is about how many bytes the event takes in an answer.
func (r *Recorded) Length() int { return len(r.payload) }

// Size is about how many bytes of memory the event takes.
func (r *Recorded) Size() int { return 4 * len(r.payload) }
