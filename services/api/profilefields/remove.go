package profilefields

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
)

type removeParams struct {
	// ID of the field.
	FieldID int64 `path:"field_id"`
}

// Remove removes a custom profile field with all answers to it.
func Remove(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/profile_fields/{field_id}", Who: permit.Admin, Faults: endpoint.Faults{profile.ErrNoField},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, profiles.Remove(ctx, who, in.FieldID)
	})
}
