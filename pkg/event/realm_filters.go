package event

// Linkifier is a pattern of text that becomes a link, as the three items pattern, format of the address, and id.
type Linkifier [3]any

// Linkifiers is sent to everybody when the organization's linkifiers changed (events.md, section 3.17). It has the whole list.
type Linkifiers struct {
	everyone

	Linkifiers []Linkifier `json:"realm_filters"` // in the order of their ids
}

// Kind implements [Event].
func (Linkifiers) Kind() Kind { return Kind{Type: "realm_filters"} }
