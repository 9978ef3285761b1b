package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// RemoveAvatar removes the caller's picture. A generated one is shown instead.
func RemoveAvatar(avatars *avatar.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /users/me/avatar", Who: permit.Anyone, ChangesCallers: true, Faults: endpoint.Faults{avatar.ErrDisabled},
	}, func(ctx context.Context, who actor.Actor, _ meParams) (avatarReply, error) {
		url, err := avatars.RemoveOwn(ctx, who)
		return avatarReply{url}, err
	})
}
