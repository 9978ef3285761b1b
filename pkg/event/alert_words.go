package event

import "chatserver.dev/pkg/id"

// AlertWords is sent to a user's own clients when the user's alert words changed (events.md, section 3.19).
type AlertWords struct {
	User  id.User  `json:"-"`
	Words []string `json:"alert_words"` // all of them
}

// Kind implements [Event].
func (AlertWords) Kind() Kind { return Kind{Type: "alert_words"} }

// Audience is the user alone.
func (e AlertWords) Audience() Audience { return Audience{Users: []id.User{e.User}} }
