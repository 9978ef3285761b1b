package entrance

import (
	"context"

	"chatserver.dev/pkg/login"
)

// signUp has a link to join sent, to whom a link for anybody or nothing at all lets in.
func (e *entrance) signUp() page {
	return page{
		title: "Join",
		show: func(ctx context.Context, v visit) (view, error) {
			return view{Text: []string{"We send you a link to go on with."}, Fields: []field{emailField()}, Button: "Send the link"},
				e.Invites.Check(ctx, v.org.ID, v.token)
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Invites.SignUp(ctx, login.Request{Host: v.host, Network: v.network, Email: v.sent("email")}, v.token)
			return view{Title: "Look into your mail", Text: []string{"A link to join is on its way to you."}}, err
		},
	}
}

// join makes an account.
func (e *entrance) join() page {
	return page{
		title: "Join",
		show: func(ctx context.Context, v visit) (view, error) {
			email, err := e.Invites.ReadTicket(ctx, v.org.ID, v.token)
			name := field{Name: "full_name", Label: "Your name", Type: "text", Autocomplete: "name", Max: 100}
			if v.sent != nil {
				name.Value = v.sent(name.Name)
			}
			return view{
				Text:   []string{"You sign in as " + email + "."},
				Fields: []field{name, passwordField("A password, hard to guess")}, Button: "Join",
			}, err
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Invites.Join(ctx, v.org.ID, v.token, v.sent("full_name"), v.sent("password"))
			return view{Title: "Welcome", Text: []string{signIn(v)}}, err
		},
	}
}
