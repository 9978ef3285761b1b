package users

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

// Reactivate reactivates a deactivated account: that of an owner as an owner, that of an administrator's bot as an administrator. The bots
// that were deactivated with it stay deactivated.
func Reactivate(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/{user_id}/reactivate", Who: permit.Anyone, ChangesCallers: true,
		Faults: endpoint.Faults{user.ErrNoSuchUser, account.ErrPermission, permit.ErrGuest, permit.ErrNotAdmin, permit.ErrNotOwner, account.ErrManyBots},
	}, func(ctx context.Context, who actor.Actor, in targetParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.Reactivate(ctx, who, in.UserID)
	})
}
