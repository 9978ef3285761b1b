package event

import "chatserver.dev/pkg/id"

// Presence tells everybody that somebody is at their computer (events.md, section 3.11). Clients that
// want it slim get no address.
type Presence struct {
	UserID          id.User                   `json:"user_id"`
	Email           string                    `json:"email"`            // as others see it
	ServerTimestamp float64                   `json:"server_timestamp"` // in Unix seconds
	Presence        map[string]ClientPresence `json:"presence"`         // one client, by its name
}

// ClientPresence is what a client reported.
type ClientPresence struct {
	Client    string `json:"client"`
	Status    string `json:"status"`    // active or idle
	Timestamp int64  `json:"timestamp"` // in Unix seconds
	Pushable  bool   `json:"pushable"`  // always false
}

// EventType is presence.
func (Presence) EventType() string { return typePresence }

// Audience is everyone.
func (Presence) Audience() Audience { return Audience{Everyone: true} }

// Change is none.
func (Presence) Change() *Change { return nil }

// UserStatus tells everybody what somebody says of themselves (events.md, section 3.11): what of it was
// set just now.
type UserStatus struct {
	UserID id.User `json:"user_id"`
	Away   *bool   `json:"away,omitempty"`
	Text   *string `json:"status_text,omitempty"` // empty: cleared
}

// EventType is user_status.
func (UserStatus) EventType() string { return "user_status" }

// Audience is everyone.
func (UserStatus) Audience() Audience { return Audience{Everyone: true} }

// Change is none.
func (UserStatus) Change() *Change { return nil }
