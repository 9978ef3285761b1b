package entrance

import (
	"context"

	"chatserver.dev/services/api/plain"
)

// unsubscribe ends mail about what somebody missed. Mail programs send the form by themselves (RFC 8058).
func (e *entrance) unsubscribe() page {
	return page{
		title: "End these mails",
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			text, err := e.Missed.ReadUnsubscribe(ctx, v.org.ID, v.token)
			return plain.Page{Text: text, Button: "End them"}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := e.Missed.Unsubscribe(ctx, v.org, v.token)
			return said("These mails end", "Your program's settings of notifications can have them sent again."), err
		},
	}
}
