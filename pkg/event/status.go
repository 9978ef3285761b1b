package event

import "chatserver.dev/pkg/id"

// Presence is sent to everybody when a client of somebody reported its presence (events.md, section 3.11). Clients
// that want it slim get no address.
type Presence struct {
	everyone

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

// Kind implements [Event].
func (Presence) Kind() Kind { return Kind{Type: "presence"} }

// UserStatus is sent to everybody when somebody set their status (events.md, section 3.11). It has what was set.
type UserStatus struct {
	everyone

	UserID id.User `json:"user_id"`
	Away   *bool   `json:"away,omitempty"`
	Text   *string `json:"status_text,omitempty"` // empty: cleared
}

// Kind implements [Event].
func (UserStatus) Kind() Kind { return Kind{Type: "user_status"} }
