package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// object is a subscription as its owner sees it (events.md, section 1.6.3), without traffic and
// subscribers.
func object(row sqlc.Stream, own sqlc.Subscription) event.Subscription {
	return event.Subscription{
		Stream: stream.Object(row),
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
	of := make(map[id.Stream][]id.User, len(rows))
	for _, row := range rows {
		of[row.StreamID] = id.Convert[id.User](row.UserIds)
		slices.Sort(of[row.StreamID])
	}
	return of, err
}

func streamNumbers(streams []sqlc.Stream) []int64 { return id.Convert[int64](streamIDs(streams)) }
