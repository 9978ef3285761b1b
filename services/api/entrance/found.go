package entrance

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/founding"
	"chatserver.dev/pkg/login"
)

// askFounding has a link to sign an organization up sent.
func (e *entrance) askFounding() page {
	return page{
		title: "Sign up an organization",
		root:  true,
		show: func(context.Context, visit) (view, error) {
			return view{Text: []string{"We send you a link to go on with."}, Fields: []field{emailField()}, Button: "Send the link"}, e.Founding.Check()
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Founding.Request(ctx, login.Request{Host: v.host, Network: v.network, Email: v.sent("email")})
			return view{Title: "Look into your mail", Text: []string{"A link is on its way to you. It works for a day."}}, err
		},
	}
}

// found makes an organization.
func (e *entrance) found() page {
	return page{
		title: "Sign up an organization",
		root:  true,
		show: func(ctx context.Context, v visit) (view, error) {
			email, err := e.Founding.Read(ctx, v.token)
			fields := []field{
				{Name: "organization", Label: "The organization's name", Type: "text", Autocomplete: "organization", Max: 40},
				{Name: "subdomain", Label: "Its name in the address: lowercase letters, numbers, hyphens", Type: "text", Autocomplete: "off", Max: 40},
				{Name: "full_name", Label: "Your name", Type: "text", Autocomplete: "name", Max: 100},
			}
			if v.sent != nil {
				for i := range fields {
					fields[i].Value = v.sent(fields[i].Name)
				}
			}
			return view{
				Text:   []string{"You sign in as " + email + ", and are its owner."},
				Fields: append(fields, passwordField("A password, hard to guess")), Button: "Sign up",
			}, err
		},
		act: func(ctx context.Context, v visit) (view, error) {
			address, err := e.Founding.Found(ctx, v.token, founding.Draft{
				Name: v.sent("organization"), Subdomain: v.sent("subdomain"), FullName: v.sent("full_name"), Password: v.sent("password"),
			})
			return view{Title: "Welcome", Text: []string{fmt.Sprintf("Sign in with your program at %s.", address)}}, err
		},
	}
}
