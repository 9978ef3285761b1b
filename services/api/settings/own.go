package settings

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type ownParams struct {
	// New full name. Ignored if only administrators may change names in the organization.
	FullName string `param:"full_name" default:""`
	// New address. It takes effect when the user confirms it by a link in a mail to it, within a day.
	Email string `param:"email" default:""`
	// The current password, if it is to be changed.
	OldPassword string `param:"old_password" default:""`
	// New password, of 6 to 100 bytes and hard to guess. All other clients that signed in with the previous password
	// are signed out.
	NewPassword string `param:"new_password" default:""`
}

// Own changes the caller's name, address and password. The answer has the name if it changed, and says how to confirm a
// new address.
func Own(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /settings", Who: permit.Human, ChangesCallers: true,
		Faults: endpoint.Faults{
			account.ErrNothing, login.ErrWrongPassword, login.ErrTries, login.ErrWeak, password.ErrTooLong,
			account.ErrAddressFixed, account.ErrAddress, account.ErrAddressTaken, account.ErrAddressReserved, account.ErrAddressDeactivated,
			account.ErrAddressOutside, account.ErrAddressDisposable, account.ErrPlus, mail.ErrOff,
			user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat,
		},
	}, func(ctx context.Context, who actor.Actor, in ownParams) (account.OwnChangeResult, error) {
		return accounts.ChangeOwn(ctx, who, account.OwnChange{FullName: in.FullName, Email: in.Email, OldPassword: in.OldPassword, NewPassword: in.NewPassword})
	})
}
