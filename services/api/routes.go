package api

import (
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/reaction"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/status"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/topic"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/alertwords"
	"chatserver.dev/services/api/messages"
	"chatserver.dev/services/api/presence"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/api/settings"
	"chatserver.dev/services/api/streams"
	"chatserver.dev/services/api/subscriptions"
	"chatserver.dev/services/api/topics"
	"chatserver.dev/services/api/users"
)

// Deps are the services behind the endpoints. They may be nil where only the endpoints' documentation
// is wanted.
type Deps struct {
	Orgs          *org.Service
	Users         *user.Service
	Streams       *stream.Service
	Subscriptions *subscription.Service
	Topics        *topic.Service
	Messages      *message.Service
	Revisions     *revision.Service
	Reactions     *reaction.Service
	Inbox         *inbox.Service
	Feed          *feed.Service
	Alerts        *alert.Service
	Statuses      *status.Service
	Version       string // of the server
}

// Endpoints are all endpoints of the service.
func Endpoints(d Deps) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		server.Settings(d.Orgs, d.Version),

		messages.Send(d.Messages),
		messages.Edit(d.Revisions),
		messages.Delete(d.Revisions),
		messages.History(d.Revisions),
		messages.Render(d.Messages),
		messages.React(d.Reactions),
		messages.Unreact(d.Reactions),
		messages.SetFlags(d.Inbox),
		messages.MarkAll(d.Inbox),
		messages.MarkStream(d.Inbox),
		messages.MarkTopic(d.Inbox),
		messages.Fetch(d.Feed),
		messages.MatchesNarrow(d.Feed),
		messages.Raw(d.Feed),
		messages.Typing(d.Messages),

		streams.List(d.Streams),
		streams.Find(d.Streams),
		streams.Edit(d.Streams),
		streams.Deactivate(d.Streams),
		streams.AddDefault(d.Streams),
		streams.RemoveDefault(d.Streams),
		streams.DeleteTopic(d.Revisions),
		subscriptions.List(d.Subscriptions),
		subscriptions.Subscribe(d.Subscriptions),
		subscriptions.Unsubscribe(d.Subscriptions),
		subscriptions.Change(d.Subscriptions),
		subscriptions.SetProperties(d.Subscriptions),
		subscriptions.SetProperty(d.Subscriptions),
		subscriptions.Members(d.Subscriptions),
		subscriptions.Status(d.Subscriptions),

		topics.Mute(d.Topics),
		topics.List(d.Feed),

		settings.Notifications(d.Users),
		settings.Display(d.Users),
		alertwords.List(d.Alerts),
		alertwords.Add(d.Alerts),
		alertwords.Remove(d.Alerts),

		presence.Report(d.Statuses),
		presence.List(d.Statuses),
		presence.Get(d.Statuses),
		presence.SetStatus(d.Statuses),

		users.List(d.Users),
		users.Me(d.Users),
		users.Get(d.Users),
	}
}
