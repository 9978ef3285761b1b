package profilefields

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
)

type listReply struct {
	// All custom profile fields in their order.
	Fields []event.ProfileField `json:"custom_fields"`
}

// List returns the organization's custom profile fields.
func List(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/profile_fields", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ struct{}) (listReply, error) {
		fields, err := profiles.Fields(ctx, who)
		return listReply{fields}, err
	})
}
