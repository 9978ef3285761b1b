package entrance

import "context"

// unsubscribe ends mail about what somebody missed. Mail programs send the form by themselves (RFC 8058).
func (e *entrance) unsubscribe() page {
	return page{
		title: "End these mails",
		show: func(ctx context.Context, v visit) (view, error) {
			text, err := e.Missed.ReadUnsubscribe(ctx, v.org.ID, v.token)
			return view{Text: text, Button: "End them"}, err
		},
		act: func(ctx context.Context, v visit) (view, error) {
			err := e.Missed.Unsubscribe(ctx, v.org, v.token)
			return view{Title: "These mails end", Text: []string{"Your program's settings of notifications can have them sent again."}}, err
		},
	}
}
