package event

import "chatserver.dev/pkg/id"

// AlertWords tells a user's own clients which words the user is alerted of (events.md, section 3.19).
type AlertWords struct {
	User  id.User  `json:"-"`
	Words []string `json:"alert_words"` // all of them
}

// EventType is alert_words.
func (AlertWords) EventType() string { return "alert_words" }

// Audience is the user alone.
func (e AlertWords) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change is none.
func (AlertWords) Change() *Change { return nil }
