package accountpages

import (
	"context"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/plain"
)

// unsubscribe is the page that ends mail about missed messages. Mail programs send the form without showing a page (RFC
// 8058).
func (s *server) unsubscribe() page {
	return page{
		title: func(says catalogue.Pages) string { return says.Unsubscribe.Title },
		reader: func(ctx context.Context, v visit) (user.User, error) {
			_, of, err := s.Missed.ReadUnsubscribe(ctx, v.org.ID, v.token)
			return of, err
		},
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			text, _, err := s.Missed.ReadUnsubscribe(ctx, v.org.ID, v.token)
			return plain.Page{Text: []string{text}, Button: v.says.Unsubscribe.Button}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := s.Missed.Unsubscribe(ctx, v.org, v.token)
			return said(v.says.Unsubscribe.Done, v.says.Unsubscribe.DoneText), err
		},
	}
}
