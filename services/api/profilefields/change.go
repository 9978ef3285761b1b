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

// Change replaces the name, the hint and the data of a custom profile field; those that the request omits become empty.
// The type and the answers stay unchanged.
func Change(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /realm/profile_fields/{field_id}", Who: permit.Admin,
		Faults: append(draftFaults(), profile.ErrNoField, profile.ErrFixed),
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, profiles.Change(ctx, who, in.FieldID, in.draft())
	})
}
