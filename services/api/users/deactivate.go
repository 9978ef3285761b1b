package users

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

type targetParams struct {
	// ID of the account.
	UserID id.User `path:"user_id"`
}

// Deactivate deactivates a person's account and their bots.
func Deactivate(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /users/{user_id}", Who: permit.Anyone, ChangesCallers: true,
		Faults: endpoint.Faults{
			user.ErrNoSuchUser, subscription.ErrUserDeactivated, account.ErrPermission, permit.ErrNotOwner, account.ErrOnlyOwnerEnd,
		},
	}, func(ctx context.Context, who actor.Actor, in targetParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.Deactivate(ctx, who, in.UserID)
	})
}
