package entrance

import "context"

// confirm has an account use a new address.
func (e *entrance) confirm() page {
	return page{
		title: "Confirm your new address",
		show: func(ctx context.Context, v visit) (view, error) {
			email, err := e.Accounts.ReadConfirmation(ctx, v.org.ID, v.token)
			return view{Text: []string{"From now on you sign in as " + email + "."}, Button: "Confirm"}, err
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Accounts.ConfirmAddress(ctx, v.org.ID, v.token)
			return view{Title: "Your address has changed", Text: []string{signIn(v)}}, err
		},
	}
}
