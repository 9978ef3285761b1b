package accountpages

import (
	"context"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/api/plain"
)

// signUp is the page for requesting a mail with a link for joining. It is for people with a reusable invitation link,
// or for everyone if no invitation is needed.
func (s *server) signUp() page {
	return page{
		title: func(says catalogue.Pages) string { return says.Join.Title },
		lost:  func(says catalogue.Pages) string { return says.Join.LinkLost },
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			return asks(v), s.Invites.Check(ctx, v.org.ID, v.token)
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := s.Invites.SignUp(ctx, v.request(), v.token)
			return said(v.says.Look, v.says.Join.Sent), err
		},
	}
}

// join is the page that creates an account.
func (s *server) join() page {
	return page{
		title: func(says catalogue.Pages) string { return says.Join.Title },
		lost:  func(says catalogue.Pages) string { return says.Join.Lost },
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			email, err := s.Invites.ReadTicket(ctx, v.org.ID, v.token)
			name := typed(v, plain.Field{Name: "full_name", Label: v.says.FullName, Type: "text", Autocomplete: "name", Max: 100})
			shown := plain.Page{Fields: []plain.Field{signInField(v, email), name}, Button: v.says.Join.Button}
			if v.org.Settings.AuthenticationMethods[org.Passwords] {
				shown.Fields = append(shown.Fields, passwordField(v, v.says.Password))
			} else {
				shown.Text = []string{v.says.Join.NoPassword}
			}
			return shown, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			email, err := s.Invites.Join(ctx, v.org.ID, v.token, v.sent("full_name"), v.sent("password"))
			if err != nil {
				return outcome{}, err
			}
			welcome := plain.Page{Title: v.says.Welcome, Text: []string{v.says.SignInAt(v.org.URI)}}
			if !v.org.Settings.AuthenticationMethods[org.Passwords] {
				return outcome{Page: welcome}, nil
			}
			return s.signedIn(ctx, v, email, v.sent("password"), welcome), nil
		},
	}
}
