package event

// DefaultStreamGroup is a group of streams that newcomers can choose (events.md, section 1.6.6).
type DefaultStreamGroup struct {
	// ID is unique on the server.
	ID int64 `json:"id"`
	// Name is unique in the organization.
	Name string `json:"name"`
	// Description says what the group is for.
	Description string `json:"description"`
	// Streams are the streams of the group, sorted by name.
	Streams []Stream `json:"streams"`
}

// DefaultStreamGroups is sent when groups of default streams changed (events.md, section 3.10). It has the whole list.
type DefaultStreamGroups struct {
	Groups []DefaultStreamGroup `json:"default_stream_groups"` // by name
}

// Kind implements [Event].
func (DefaultStreamGroups) Kind() Kind { return Kind{Type: "default_stream_groups"} }

// Audience is everyone but guests.
func (DefaultStreamGroups) Audience() Audience { return Audience{NonGuests: true} }
