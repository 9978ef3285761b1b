package entrance

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/founding"
	"chatserver.dev/pkg/login"
	"chatserver.dev/services/api/plain"
)

// askFounding has a link to sign an organization up sent.
func (e *entrance) askFounding() page {
	return page{
		title: "Sign up an organization",
		root:  true,
		show: func(_ context.Context, v visit) (plain.Page, error) {
			return plain.Page{Text: []string{"We send you a link to go on with."}, Fields: []plain.Field{typed(v, emailField())}, Button: "Send the link"}, e.Founding.Check()
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := e.Founding.Request(ctx, login.Request{Host: v.host, Network: v.network, Email: v.sent("email")})
			return said("Look into your mail", "A link is on its way to you. It works for a day."), err
		},
	}
}

// found makes an organization.
func (e *entrance) found() page {
	return page{
		title:    "Sign up an organization",
		root:     true,
		lost:     "If you haven’t signed it up yet, have another one sent to you.",
		lostLink: plain.Link{Text: "Send another link", To: founding.Path, Main: true},
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			email, err := e.Founding.Read(ctx, v.token)
			fields := []plain.Field{
				signInField(email),
				{Name: "organization", Label: "The organization's name", Type: "text", Autocomplete: "organization", Max: 40},
				{Name: "subdomain", Label: "Its name in the address", Hint: "Lowercase letters, numbers and hyphens: " + e.Orgs.Config().URI("name"), Type: "text", Autocomplete: "off", Max: 40},
				{Name: "full_name", Label: "Your name", Type: "text", Autocomplete: "name", Max: 100},
			}
			for i := range fields {
				fields[i] = typed(v, fields[i])
			}
			return plain.Page{
				Text:   []string{"You are going to be its owner."},
				Fields: append(fields, passwordField("A password, hard to guess")), Button: "Sign up",
			}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			address, err := e.Founding.Found(ctx, v.token, founding.Draft{
				Name: v.sent("organization"), Subdomain: v.sent("subdomain"), FullName: v.sent("full_name"), Password: v.sent("password"),
			})
			welcome := said("Welcome", fmt.Sprintf("Your organization is at %s: sign in there.", address))
			if e.Client {
				welcome.Links = []plain.Link{{Text: "Go there", To: address, Main: true}}
			}
			return welcome, err
		},
	}
}
