package profilefields

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/user"
)

// draftParams are the properties of a field, except for its type.
type draftParams struct {
	// The question, of at most 40 characters. Ignored for known kinds of accounts elsewhere.
	Name string `param:"name" default:""`
	// A hint for the answer, of at most 80 characters. Ignored for known kinds of accounts elsewhere.
	Hint string `param:"hint" default:""`
	// For type 3 the choices, by the values that stand for them: {"0": {"text": "Vim", "order": "1"}}. For type 7 the kind of account
	// elsewhere: {"subtype": "github"}, or {"subtype": "custom", "url_pattern": "https://example.com/%(username)s"}. Ignored for
	// other types. It has at most 16 KiB as JSON.
	FieldData map[string]any `param:"field_data" default:"{}"`
}

func (p draftParams) draft() profile.Draft {
	return profile.Draft{Name: p.Name, Hint: p.Hint, Data: p.FieldData}
}

// draftFaults returns the faults of a field, except for those of its type.
func draftFaults() endpoint.Faults {
	return endpoint.Faults{
		profile.ErrData, profile.ErrNoChoice, profile.ErrBlankChoice, profile.ErrAccount, profile.ErrNoPattern, profile.ErrPattern,
		profile.ErrPatternURL, profile.ErrLongData, profile.ErrBlank, profile.ErrLongHint, profile.ErrLongName, profile.ErrExists,
	}
}

type createParams struct {
	draftParams
	// Type of the answers: 1 short text, 2 long text, 3 choice, 4 date, 5 link, 6 people, 7 account elsewhere.
	FieldType int64 `param:"field_type"`
}

type createReply struct {
	// ID of the field.
	ID int64 `json:"id"`
}

// Create makes a custom profile field, the last one in the order. An organization has at most 20.
func Create(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /realm/profile_fields", Who: permit.Admin,
		Faults: append(draftFaults(), profile.ErrType, profile.ErrManyFields),
	}, func(ctx context.Context, who actor.Actor, in createParams) (createReply, error) {
		draft := in.draft()
		if draft.Type = user.FieldType(in.FieldType); int64(draft.Type) != in.FieldType {
			draft.Type = 0 // none
		}
		number, err := profiles.Create(ctx, who, draft)
		return createReply{number}, err
	})
}
