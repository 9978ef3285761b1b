package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type meParams struct{}

// Me returns the caller's own account.
func Me(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users/me", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ meParams) (user.Own, error) {
		return users.Me(ctx, who)
	})
}
