package profilefields

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
)

type changeParams struct {
	// ID of the field.
	FieldID int64 `path:"field_id"`
	draftParams
}

// Change changes a custom profile field: its name, its hint and its data are what the request says, or empty. Its type stays, and
// so do the answers.
func Change(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /realm/profile_fields/{field_id}", Who: permit.Admin,
		Faults: append(draftFaults(), profile.ErrNoField, profile.ErrFixed),
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, profiles.Change(ctx, who, in.FieldID, in.draft())
	})
}
