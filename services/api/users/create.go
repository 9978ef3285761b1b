package users

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type createParams struct {
	// Real address, which the person signs in with.
	Email string `param:"email"`
	// Password that the person signs in with, of 6 to 100 bytes and hard to guess.
	Password string `param:"password"`
	// Full name.
	FullName string `param:"full_name"`
}

// Create creates a person's account, who is subscribed to the default streams.
func Create(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users", Who: permit.Admin,
		Faults: endpoint.Faults{
			user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat,
			account.ErrEmail, account.ErrOutside, account.ErrDisposable, account.ErrPlus,
			account.ErrWeak, password.ErrTooLong, user.ErrEmailInUse, permit.ErrNotAdmin,
		},
	}, func(ctx context.Context, who actor.Actor, in createParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.Create(ctx, who, account.Draft{Email: in.Email, FullName: in.FullName, Password: in.Password})
	})
}
