package entrance

import (
	"context"

	"chatserver.dev/pkg/login"
	"chatserver.dev/services/api/plain"
)

// askReset sends a link to reset a password.
func (e *entrance) askReset() page {
	return page{
		title: "Reset your password",
		show: func(_ context.Context, v visit) (plain.Page, error) {
			return plain.Page{Text: []string{"We send you a link to choose a new one."}, Fields: []plain.Field{typed(v, emailField())}, Button: "Send the link"}, nil
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := e.Logins.RequestReset(ctx, login.Request{Host: v.host, Network: v.network, Email: v.sent("email")})
			// It says the same whether there is such an account or not.
			return said("Look into your mail", "If there is an account with this address, a link is on its way to it. It works for a day."), err
		},
	}
}

// reset chooses a new password.
func (e *entrance) reset() page {
	return page{
		title:    "Choose a new password",
		lost:     "Have another one sent to you.",
		lostLink: plain.Link{Text: "Send another link", To: login.ResetPath, Main: true},
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			return plain.Page{
				Text:   []string{"All programs that signed in with the password before are signed out."},
				Fields: []plain.Field{passwordField("New password, hard to guess")}, Button: "Set the password",
			}, e.Logins.ReadReset(ctx, v.org.ID, v.token)
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			email, err := e.Logins.Reset(ctx, v.org.ID, v.token, v.sent("password"))
			if err != nil {
				return outcome{}, err
			}
			return e.signedIn(ctx, v, email, v.sent("password"), plain.Page{Title: "Your password is set", Text: []string{signIn(v)}}), nil
		},
	}
}
