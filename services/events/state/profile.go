package state

import (
	"context"

	"chatserver.dev/pkg/user"
)

// ProfileFields are the questions that the organization asks its people, in their order, and the
// kinds of questions that there are (rest-api.md, section 4.7).
type ProfileFields struct {
	Fields []user.Field         `json:"custom_profile_fields"`      // in their order
	Types  map[string]FieldType `json:"custom_profile_field_types"` // kinds of questions by their names
}

// FieldType is a kind of question.
type FieldType struct {
	ID   user.FieldType `json:"id"`   // as in the type of a question
	Name string         `json:"name"` // for people
}

func readProfileFields(ctx context.Context, r *reading, into *State) error {
	fields, err := user.Fields(ctx, r.tx)
	into.ProfileFields = &ProfileFields{fields, map[string]FieldType{
		"SHORT_TEXT":       {user.ShortText, "Short text"},
		"LONG_TEXT":        {user.LongText, "Long text"},
		"CHOICE":           {user.Choice, "List of options"},
		"DATE":             {user.Date, "Date"},
		"URL":              {user.URL, "Link"},
		"USER":             {user.Person, "People"},
		"EXTERNAL_ACCOUNT": {user.ExternalAccount, "Account elsewhere"},
	}}
	return err
}
