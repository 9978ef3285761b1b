package users

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type changeParams struct {
	// ID of the account: a person's or a bot's, active or not.
	UserID id.User `path:"user_id"`
	// New full name; a blank one changes nothing.
	FullName *endpoint.JSONString `param:"full_name"`
	// New role: 100 owner, 200 administrator, 400 member, 600 guest. Only owners may make an owner, and change an owner's role.
	Role *int16 `param:"role"`
}

// Change changes an account: any as an administrator, or a bot as its owner.
func Change(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /users/{user_id}", Who: permit.Anyone,
		Faults: endpoint.Faults{
			user.ErrNoSuchUser, account.ErrPermission, account.ErrRole, account.ErrOnlyOwner, permit.ErrNotAdmin, permit.ErrNotOwner,
			user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat, user.ErrNameInUse,
		},
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		change := account.Change{FullName: (*string)(in.FullName)}
		if in.Role != nil {
			change.Role = new(actor.Role(*in.Role))
		}
		return endpoint.Nothing{}, accounts.Change(ctx, who, in.UserID, change)
	})
}
