package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type hotspotParams struct {
	// Name of the hint.
	Hotspot endpoint.JSONString `param:"hotspot" max:"100 characters"`
}

// Hotspot marks a hint for newcomers as read. With the last one the caller's tutorial is finished.
func Hotspot(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/hotspots", Who: permit.Human, ChangesCallers: true, Faults: endpoint.Faults{user.ErrHotspot},
	}, func(ctx context.Context, who actor.Actor, in hotspotParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, users.SeeHotspot(ctx, who, string(in.Hotspot))
	})
}
