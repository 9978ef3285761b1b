package entrance

import (
	"context"

	"chatserver.dev/services/api/plain"
)

// confirm has an account use a new address.
func (e *entrance) confirm() page {
	return page{
		title: "Confirm your new address",
		lost:  "If your address hasn’t changed, ask for another link in the settings of your account.",
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			email, err := e.Accounts.ReadConfirmation(ctx, v.org.ID, v.token)
			return plain.Page{Text: []string{"From now on you sign in as " + email + "."}, Button: "Confirm"}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := e.Accounts.ConfirmAddress(ctx, v.org.ID, v.token)
			return said("Your address has changed", "From now on you sign in with it."), err
		},
	}
}
