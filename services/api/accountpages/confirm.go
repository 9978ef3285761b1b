package accountpages

import (
	"context"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/plain"
)

// confirm is the page that confirms an account's new address.
func (s *server) confirm() page {
	return page{
		title: func(says catalogue.Pages) string { return says.Confirm.Title },
		lost:  func(says catalogue.Pages) string { return says.Confirm.Lost },
		reader: func(ctx context.Context, v visit) (user.User, error) {
			_, of, err := s.Accounts.ReadConfirmation(ctx, v.org.ID, v.token)
			return of, err
		},
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			email, _, err := s.Accounts.ReadConfirmation(ctx, v.org.ID, v.token)
			return plain.Page{Text: []string{v.says.Confirm.Text(email)}, Button: v.says.Confirm.Button}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := s.Accounts.ConfirmAddress(ctx, v.org.ID, v.token)
			return said(v.says.Confirm.Done, v.says.Confirm.DoneText), err
		},
	}
}
