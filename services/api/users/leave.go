package users

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// Leave deactivates the caller's own account and their bots.
func Leave(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /users/me", Who: permit.Anyone, ChangesCallers: true, Faults: endpoint.Faults{account.ErrLastOwner},
	}, func(ctx context.Context, who actor.Actor, _ meParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.Leave(ctx, who)
	})
}
