package customemoji

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type deactivateParams struct {
	// Name of the emoji.
	Name string `path:"emoji_name"`
}

// Deactivate deactivates one of the organization's emoji. It can't be used any more, but is still shown where it was
// used.
func Deactivate(emoji *customemoji.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/emoji/{emoji_name}", Who: permit.Anyone,
		Faults: endpoint.Faults{customemoji.ErrMissing, permit.ErrNotAdmin, customemoji.ErrNotAuthor},
	}, func(ctx context.Context, who actor.Actor, in deactivateParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, emoji.Deactivate(ctx, who, in.Name)
	})
}
