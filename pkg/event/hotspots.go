package event

import "chatserver.dev/pkg/id"

// Hotspot is a hint for somebody who is new (events.md, section 1.6.6).
type Hotspot struct {
	Name        string  `json:"name"`        // what it is marked as read by
	Title       string  `json:"title"`       // for people
	Description string  `json:"description"` // for people
	Delay       float64 `json:"delay"`       // seconds until it is shown
}

// Hotspots is sent to a user's own clients when the user has read a hint (events.md, section 3.19).
type Hotspots struct {
	User     id.User   `json:"-"`
	Hotspots []Hotspot `json:"hotspots"` // those to show now: one, or none
}

// Kind implements [Event].
func (Hotspots) Kind() Kind { return Kind{Type: "hotspots"} }

// Audience is the user alone.
func (e Hotspots) Audience() Audience { return Audience{Users: []id.User{e.User}} }
