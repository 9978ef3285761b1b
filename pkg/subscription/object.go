package subscription

import (
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// object returns a subscription as its owner sees it (events.md, section 1.6.3), without traffic and
// subscribers. in is the pattern of the addresses of streams.
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

func streamNumbers(streams []sqlc.Stream) []int64 { return id.Convert[int64](streamIDs(streams)) }
