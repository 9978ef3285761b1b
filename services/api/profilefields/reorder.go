package profilefields

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
)

type reorderParams struct {
	// IDs of all custom profile fields, in the new order.
	Order []int64 `param:"order"`
}

// Reorder changes the order of the custom profile fields.
func Reorder(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /realm/profile_fields", Who: permit.Admin, Faults: endpoint.Faults{profile.ErrOrder},
	}, func(ctx context.Context, who actor.Actor, in reorderParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, profiles.Order(ctx, who, in.Order)
	})
}
