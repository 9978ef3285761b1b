package event

import (
	"encoding/json"
	"fmt"

	"chatserver.dev/pkg/id"
)

// MutedTopics is sent to somebody who muted a topic, or unmuted one (events.md, section 3.19). It has the whole list.
type MutedTopics struct {
	User id.User `json:"-"`
	// Topics are tuples of a stream's id, a topic, and when it was muted in Unix seconds. Clients of the reference server
	// get the stream's name in place of its id.
	Topics [][3]any `json:"muted_topics"`
	// Named are the topics for clients that know streams by their names ([Form.StreamNames]).
	Named [][3]any `json:"-"`
}

// Kind implements [Event].
func (MutedTopics) Kind() Kind { return Kind{Type: "muted_topics"} }

// Audience is whose list it is.
func (e MutedTopics) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// bothLists is the recorded JSON of muted topics.
type bothLists[T any] struct {
	Topics T `json:"muted_topics"`
	Named  T `json:"named"`
}

// MarshalJSON returns the event as recorded, with both lists.
func (e MutedTopics) MarshalJSON() ([]byte, error) {
	return marshal(bothLists[[][3]any]{e.Topics, e.Named})
}

// encodeMutedTopics encodes the event with the list of a client's form.
func encodeMutedTopics(payload []byte, form Form) ([]byte, error) {
	recorded := bothLists[json.RawMessage]{}
	if err := json.Unmarshal(payload, &recorded); err != nil {
		return nil, fmt.Errorf("decode muted topics: %w", err)
	}
	if form.StreamNames {
		recorded.Topics = recorded.Named
	}
	encoded := append([]byte(`{"type":"`+typeMutedTopics+`","muted_topics":`), recorded.Topics...)
	return append(encoded, '}'), nil
}
