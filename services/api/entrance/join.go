package entrance

import (
	"context"

	"chatserver.dev/pkg/login"
	"chatserver.dev/services/api/plain"
)

// signUp sends a link to join to people with a link for anybody, or to all where no invitation is needed.
func (e *entrance) signUp() page {
	return page{
		title: "Join",
		lost:  "Ask whoever sent it to you for another one.",
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			return plain.Page{Text: []string{"We send you a link to go on with."}, Fields: []plain.Field{typed(v, emailField())}, Button: "Send the link"},
				e.Invites.Check(ctx, v.org.ID, v.token)
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := e.Invites.SignUp(ctx, login.Request{Host: v.host, Network: v.network, Email: v.sent("email")}, v.token)
			return said("Look into your mail", "A link to join is on its way to you."), err
		},
	}
}

// join makes an account.
func (e *entrance) join() page {
	return page{
		title: "Join",
		lost:  "If you have joined already, sign in. Otherwise ask whoever invited you for another invitation.",
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			email, err := e.Invites.ReadTicket(ctx, v.org.ID, v.token)
			name := typed(v, plain.Field{Name: "full_name", Label: "Your name", Type: "text", Autocomplete: "name", Max: 100})
			return plain.Page{Fields: []plain.Field{signInField(email), name, passwordField("A password, hard to guess")}, Button: "Join"}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			email, err := e.Invites.Join(ctx, v.org.ID, v.token, v.sent("full_name"), v.sent("password"))
			if err != nil {
				return outcome{}, err
			}
			return e.signedIn(ctx, v, email, v.sent("password"), plain.Page{Title: "Welcome", Text: []string{signIn(v)}}), nil
		},
	}
}
