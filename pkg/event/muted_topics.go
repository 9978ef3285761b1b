package event

import "chatserver.dev/pkg/id"

// MutedTopics is sent to somebody who muted a topic, or unmuted one (events.md, section 3.19). It has the whole list.
type MutedTopics struct {
	User id.User `json:"-"`
	// Topics are tuples of a stream's id, a topic, and when it was muted in Unix seconds.
	Topics [][3]any `json:"muted_topics"`
}

// Kind implements [Event].
func (MutedTopics) Kind() Kind { return Kind{Type: "muted_topics"} }

// Audience is whose list it is.
func (e MutedTopics) Audience() Audience { return Audience{Users: []id.User{e.User}} }
