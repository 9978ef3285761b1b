package entrance

import (
	"context"

	"chatserver.dev/pkg/login"
)

// askReset has a link to reset a password sent.
func (e *entrance) askReset() page {
	return page{
		title: "Reset your password",
		show: func(context.Context, visit) (view, error) {
			return view{Text: []string{"We send you a link to choose a new one."}, Fields: []field{emailField()}, Button: "Send the link"}, nil
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Logins.RequestReset(ctx, login.Request{Host: v.host, Network: v.network, Email: v.sent("email")})
			// It says the same whether there is such an account or not.
			return view{Title: "Look into your mail", Text: []string{"If there is an account with this address, a link is on its way to it. It works for a day."}}, err
		},
	}
}

// reset chooses a new password.
func (e *entrance) reset() page {
	return page{
		title: "Choose a new password",
		show: func(ctx context.Context, v visit) (view, error) {
			return view{
				Text:   []string{"All programs that signed in with the password before are signed out."},
				Fields: []field{passwordField("New password, hard to guess")}, Button: "Set the password",
			}, e.Logins.ReadReset(ctx, v.org.ID, v.token)
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Logins.Reset(ctx, v.org.ID, v.token, v.sent("password"))
			return view{Title: "Your password is set", Text: []string{signIn(v)}}, err
		},
	}
}
