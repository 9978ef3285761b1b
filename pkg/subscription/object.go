package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// object is a subscription as its owner sees it (events.md, section 1.6.3), without traffic and
// subscribers. in says how the addresses of streams look.
func object(row sqlc.Stream, own sqlc.Subscription, in gateway.Pattern) event.Subscription {
	return event.Subscription{
		Stream: stream.Object(row), EmailAddress: in.Stream(row.Name, gateway.Token(row.EmailToken)),
		Personal: event.Personal{
			Color: own.Color, IsMuted: own.Muted, InHomeView: !own.Muted, PinToTop: own.PinToTop,
			DesktopNotifications: own.DesktopNotifications, AudibleNotifications: own.AudibleNotifications,
			PushNotifications: own.PushNotifications, EmailNotifications: own.EmailNotifications,
			WildcardMentionsNotify: own.WildcardMentionsNotify,
		},
	}
}

// subscribers returns the active accounts subscribed to each of the streams, ascending. Streams without
// any are absent.
func subscribers(ctx context.Context, tx *store.Tx, streams []int64) (map[id.Stream][]id.User, error) {
	rows, err := tx.SubscribersOf(ctx, streams)
	if err != nil {
		return nil, err
	}
	inactive, err := tx.InactiveUsers(ctx)
	if err != nil {
		return nil, err
	}
	gone := make(map[id.User]bool, len(inactive))
	for _, user := range inactive {
		gone[user] = true
	}
	of := make(map[id.Stream][]id.User, len(rows))
	for _, row := range rows {
		users := id.Convert[id.User](row.UserIds)
		if len(gone) > 0 {
			users = slices.DeleteFunc(users, func(user id.User) bool { return gone[user] })
		}
		if len(users) > 0 {
			slices.Sort(users)
			of[row.StreamID] = users
		}
	}
	return of, nil
}

func streamNumbers(streams []sqlc.Stream) []int64 { return id.Convert[int64](streamIDs(streams)) }
