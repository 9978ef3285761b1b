package event

import "chatserver.dev/pkg/id"

// MutedTopics gives somebody the whole list of the topics that they muted (events.md, section 3.19).
type MutedTopics struct {
	User id.User `json:"-"`
	// Topics are tuples of a stream's id, a topic, and when it was muted in Unix seconds.
	Topics [][3]any `json:"muted_topics"`
}

// EventType gives the type on the wire.
func (MutedTopics) EventType() string { return "muted_topics" }

// Audience is whose list it is.
func (e MutedTopics) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change is nil.
func (MutedTopics) Change() *Change { return nil }
