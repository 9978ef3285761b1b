package event

// ProfileField is a question that an organization asks its people (events.md, section 1.6.6).
type ProfileField struct {
	ID    int64  `json:"id"`         // unique on the server
	Name  string `json:"name"`       // the question
	Type  int16  `json:"type"`       // as in custom_profile_field_types
	Hint  string `json:"hint"`       // what helps to answer; may be empty
	Data  string `json:"field_data"` // JSON, or empty
	Order int32  `json:"order"`      // place among the questions, ascending
}

// ProfileFieldsChanged is sent to everybody when there are other custom profile fields than before, or in another order
// (events.md, section 3.18).
type ProfileFieldsChanged struct {
	everyone

	Op     string         `json:"op" enum:"add,update,delete"`
	Fields []ProfileField `json:"fields"` // all of them, in their order
}

// Kind implements [Event].
func (ProfileFieldsChanged) Kind() Kind { return Kind{Type: "custom_profile_fields"} }
