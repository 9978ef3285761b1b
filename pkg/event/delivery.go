package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"chatserver.dev/pkg/id"
)

// Form is a client's options for the parts of events that differ by client, which it set when it registered or is known to
// need (events.md, section 2.13).
type Form struct {
	Markdown     bool `json:"markdown,omitempty"`      // message content as HTML
	HostedAvatar bool `json:"hosted_avatar,omitempty"` // null for avatars on a third party's host
	SlimPresence bool `json:"slim_presence,omitempty"`
	BulkDeletion bool `json:"bulk_deletion,omitempty"`
	StreamNames  bool `json:"-"` // names of streams in muted_topics, in place of ids
}

// Recorded is an event from the log, ready to be delivered in each form. Each form is encoded
// once, for any number of clients. It is safe for concurrent use.
type Recorded struct {
	// Org is the organization that the event belongs to; zero: unknown. It must be set before the event is shared.
	Org id.Org
	// Made is when the event's transaction began; zero: unknown. It must be set before the event is shared.
	Made time.Time

	payload []byte
	kind    kind

	encoded  atomic.Pointer[encoded] // the form that was encoded last; nil: none
	mutex    sync.Mutex              // is held to encode a form, and for personal
	personal *personalParts          // nil: not read yet
}

// encoded is an event in one form.
type encoded struct {
	form Form
	body []byte
	next *encoded // encoded earlier; there are few
}

// in returns the event in one form; ok is false if it isn't encoded yet.
func (e *encoded) in(form Form) (body []byte, ok bool) {
	for ; e != nil; e = e.next {
		if e.form == form {
			return e.body, true
		}
	}
	return nil, false
}

// kind is how an event is delivered.
type kind struct {
	flags    bool // each receiver's copy has flags
	personal bool // each receiver gets a different part, see [SubscriptionsAdded]
	// depends returns the part of a client's form that the event depends on; nil: none.
	depends func(Form) Form
	encode  func(payload []byte, form Form) ([]byte, error)
}

// kindOf returns the kind of an event from the beginning of its JSON.
func kindOf(payload []byte) kind {
	if bytes.HasPrefix(payload, []byte(personalOpening)) {
		return kind{personal: true}
	}
	for _, k := range [...]struct {
		name string
		kind
	}{
		{typeMessage, kind{flags: true, depends: func(f Form) Form { return Form{Markdown: f.Markdown, HostedAvatar: f.HostedAvatar} }, encode: encodeMessage}},
		{typeUpdateMessage, kind{flags: true}},
		{typePresence, kind{depends: func(f Form) Form { return Form{SlimPresence: f.SlimPresence} }, encode: encodePresence}},
		{typeDeleteMessage, kind{depends: func(f Form) Form { return Form{BulkDeletion: f.BulkDeletion} }, encode: encodeDeletion}},
		{typeMutedTopics, kind{depends: func(f Form) Form { return Form{StreamNames: f.StreamNames} }, encode: encodeMutedTopics}},
	} {
		if bytes.HasPrefix(payload, []byte(`{"type":"`+k.name+`",`)) {
			return k.kind
		}
	}
	return kind{}
}

// AppendHeartbeat appends the JSON of a heartbeat to buf: the event that shows a waiting client that
// the server is alive. It is the same in all forms.
func AppendHeartbeat(buf []byte, id int64) []byte {
	return append(strconv.AppendInt(append(buf, `{"id":`...), id, 10), `,"type":"heartbeat"}`...)
}

// Decode returns the recorded event with the log's JSON.
func Decode(payload []byte) *Recorded { return &Recorded{payload: payload, kind: kindOf(payload)} }

// Copy is the data of one queue's copy of an event.
type Copy struct {
	ID      int64 // in the queue
	Flags   Flags
	LocalID string  // "": none
	User    id.User // the queue's owner
}

// Append appends the event's JSON in one client's form to buf.
func (r *Recorded) Append(buf []byte, form Form, c Copy) ([]byte, error) {
	body, err := r.inForm(form)
	if r.kind.personal {
		body, err = r.of(c.User)
	}
	if err != nil {
		return buf, err
	}
	buf = append(buf, `{"id":`...)
	buf = strconv.AppendInt(buf, c.ID, 10)
	if r.kind.flags {
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

// of returns one receiver's part of the event.
func (r *Recorded) of(user id.User) ([]byte, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.personal == nil {
		parts, err := readPersonal(r.payload)
		if err != nil {
			return nil, err
		}
		r.personal = parts
	}
	return r.personal.of(user)
}

// inForm returns the event in one form, which it encodes at its first use.
func (r *Recorded) inForm(form Form) ([]byte, error) {
	if r.kind.depends == nil {
		return r.payload, nil
	}
	form = r.kind.depends(form)
	if body, ok := r.encoded.Load().in(form); ok {
		return body, nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if body, ok := r.encoded.Load().in(form); ok {
		return body, nil
	}
	body, err := r.kind.encode(r.payload, form)
	if err != nil {
		return nil, err
	}
	r.encoded.Store(&encoded{form, body, r.encoded.Load()})
	return body, nil
}

// encodeMessage encodes a message with the content and the avatar of a client's form.
func encodeMessage(payload []byte, form Form) ([]byte, error) {
	recorded := struct {
		Message json.RawMessage `json:"message"`
		messageForms
	}{}
	if err := json.Unmarshal(payload, &recorded); err != nil {
		return nil, fmt.Errorf("decode message event: %w", err)
	}
	chosen := chosenForm{recorded.Raw, "text/x-markdown", &recorded.AvatarURL}
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
	return append(encoded, '}'), nil
}

// encodePresence omits the address for clients with slim_presence.
func encodePresence(payload []byte, form Form) ([]byte, error) {
	if !form.SlimPresence {
		return payload, nil
	}
	return edit(payload, func(members map[string]json.RawMessage) { delete(members, "email") })
}

// encodeDeletion replaces the list by a single message for clients that don't support lists.
func encodeDeletion(payload []byte, form Form) ([]byte, error) {
	if form.BulkDeletion {
		return payload, nil
	}
	messages := struct {
		IDs []json.RawMessage `json:"message_ids"`
	}{}
	if err := json.Unmarshal(payload, &messages); err != nil {
		return nil, fmt.Errorf("decode deletion: %w", err)
	}
	if len(messages.IDs) != 1 {
		return nil, fmt.Errorf("a deletion of %d messages for a client that doesn't support lists", len(messages.IDs))
	}
	return edit(payload, func(members map[string]json.RawMessage) {
		delete(members, "message_ids")
		members["message_id"] = messages.IDs[0]
	})
}

// edit changes the members of an event.
func edit(payload []byte, change func(members map[string]json.RawMessage)) ([]byte, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	change(members)
	return marshal(members)
}

// Length returns the approximate size of the event in an answer, in bytes.
func (r *Recorded) Length() int { return len(r.payload) }

// Size returns the approximate size of the event in memory, in bytes.
func (r *Recorded) Size() int { return 4 * len(r.payload) }

// The types whose delivery depends on the receiver.
const (
	typeMessage       = "message"
	typeUpdateMessage = "update_message"
	typePresence      = "presence"
	typeDeleteMessage = "delete_message"
	typeMutedTopics   = "muted_topics"
)
