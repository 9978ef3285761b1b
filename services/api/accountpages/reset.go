package accountpages

import (
	"context"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/plain"
)

// askReset is the page for requesting a link to reset a password.
func (s *server) askReset() page {
	return page{
		title: func(says catalogue.Pages) string { return says.Reset.Ask },
		show:  func(_ context.Context, v visit) (plain.Page, error) { return asks(v), nil },
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := s.Logins.RequestReset(ctx, v.request())
			// The text is the same whether the account exists or not.
			return said(v.says.Look, v.says.Reset.Sent), err
		},
	}
}

// reset is the page for choosing a new password.
func (s *server) reset() page {
	return page{
		title:    func(says catalogue.Pages) string { return says.Reset.Title },
		lost:     func(says catalogue.Pages) string { return says.Reset.Lost },
		lostLink: login.ResetPath,
		reader: func(ctx context.Context, v visit) (user.User, error) {
			return s.Logins.ReadReset(ctx, v.org.ID, v.token)
		},
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			of, err := s.Logins.ReadReset(ctx, v.org.ID, v.token)
			says := v.says.Reset
			fields := []plain.Field{signInField(v, of.RealEmail), passwordField(v, says.Password)}
			return plain.Page{Text: []string{says.Text}, Fields: fields, Button: says.Button}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			email, err := s.Logins.Reset(ctx, v.org.ID, v.token, v.sent("password"))
			if err != nil {
				return outcome{}, err
			}
			return s.signedIn(ctx, v, email, v.sent("password"), plain.Page{Title: v.says.Reset.Done, Text: []string{v.says.SignInAt(v.org.URI)}}), nil
		},
	}
}
