package settings

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type ownParams struct {
	// New full name. Where the organization lets administrators alone change names, nothing happens.
	FullName string `param:"full_name" default:""`
	// The password so far, where it is to change.
	OldPassword string `param:"old_password" default:""`
	// New password, of 6 to 100 bytes and hard to guess. All other programs that signed in with the password before are signed out.
	NewPassword string `param:"new_password" default:""`
}

// Own changes the caller's name and password. The answer has the name if it changed.
func Own(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /settings", Who: permit.Human,
		Faults: endpoint.Faults{
			account.ErrNothing, login.ErrWrongPassword, login.ErrTries, login.ErrWeak, password.ErrTooLong,
			user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat,
		},
	}, func(ctx context.Context, who actor.Actor, in ownParams) (account.OwnChanged, error) {
		return accounts.ChangeOwn(ctx, who, account.OwnChange{FullName: in.FullName, OldPassword: in.OldPassword, NewPassword: in.NewPassword})
	})
}
