package api

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/api/alertwords"
	"chatserver.dev/services/api/bots"
	"chatserver.dev/services/api/branding"
	"chatserver.dev/services/api/customemoji"
	"chatserver.dev/services/api/devices"
	"chatserver.dev/services/api/domains"
	"chatserver.dev/services/api/drafts"
	"chatserver.dev/services/api/exports"
	"chatserver.dev/services/api/groups"
	"chatserver.dev/services/api/invites"
	"chatserver.dev/services/api/linkifiers"
	"chatserver.dev/services/api/messages"
	"chatserver.dev/services/api/organization"
	"chatserver.dev/services/api/presence"
	"chatserver.dev/services/api/profilefields"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/api/settings"
	"chatserver.dev/services/api/signin"
	"chatserver.dev/services/api/streams"
	"chatserver.dev/services/api/subscriptions"
	"chatserver.dev/services/api/topics"
	"chatserver.dev/services/api/uploads"
	"chatserver.dev/services/api/users"
	"chatserver.dev/services/domain"
)

// Endpoints returns all endpoints of the service; version is the server's. The domain may be the zero value if only the
// declarations are used.
func Endpoints(d domain.Domain, version string) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		server.Settings(d.Orgs, d.Providers, version),
		server.Subdomain(d.Orgs),
		server.Compatibility(),
		signin.FetchKey(d.Logins),
		signin.GoogleClientID(),
		signin.StartSession(d.Logins),
		signin.Sessions(d.Logins),
		signin.EndSession(d.Logins),
		signin.Identities(d.Accounts),
		signin.Unlink(d.Accounts),

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
		messages.AddSubmessage(d.Submessages),
		messages.Waiting(d.Messages),
		messages.Cancel(d.Messages),
		drafts.List(d.Drafts),
		drafts.Add(d.Drafts),
		drafts.Change(d.Drafts),
		drafts.Remove(d.Drafts),

		streams.List(d.Streams),
		streams.Find(d.Streams),
		streams.Edit(d.Streams),
		streams.Deactivate(d.Streams),
		streams.AddDefault(d.Streams),
		streams.RemoveDefault(d.Streams),
		streams.CreateGroup(d.Streams),
		streams.EditGroup(d.Streams),
		streams.ChangeGroup(d.Streams),
		streams.DeleteGroup(d.Streams),
		streams.DeleteTopic(d.Revisions),
		subscriptions.List(d.Subscriptions),
		subscriptions.Subscribe(d.Subscriptions),
		subscriptions.Unsubscribe(d.Subscriptions),
		subscriptions.Change(d.Subscriptions),
		subscriptions.SetProperties(d.Subscriptions),
		subscriptions.SetProperty(d.Subscriptions),
		subscriptions.Members(d.Subscriptions, d.Users),
		subscriptions.Status(d.Subscriptions),

		topics.Mute(d.Topics),
		topics.List(d.Feed),

		organization.Edit(d.Policy),
		organization.Deactivate(d.Policy),
		domains.List(d.Orgs),
		domains.Add(d.Policy),
		domains.Change(d.Policy),
		domains.Remove(d.Policy),
		linkifiers.List(d.Linkifiers),
		linkifiers.Add(d.Linkifiers),
		linkifiers.Remove(d.Linkifiers),

		customemoji.List(d.Emoji),
		customemoji.Add(d.Emoji),
		customemoji.Deactivate(d.Emoji),
		branding.Icon(d.Branding),
		branding.SetIcon(d.Branding),
		branding.RemoveIcon(d.Branding),
		branding.Logo(d.Branding),
		branding.SetLogo(d.Branding),
		branding.RemoveLogo(d.Branding),
		settings.Notifications(d.Users),
		settings.Display(d.Users),
		settings.Own(d.Accounts),
		settings.EnterSends(d.Users),
		settings.Hotspot(d.Users),
		settings.Tutorial(d.Users),
		settings.Command(d.Users),
		alertwords.List(d.Alerts),
		alertwords.Add(d.Alerts),
		alertwords.Remove(d.Alerts),
		devices.List(d.Pushes),
		devices.Add(d.Pushes),
		devices.Remove(d.Pushes),
		devices.AddApple(d.Pushes),
		devices.RemoveApple(d.Pushes),
		devices.AddGoogle(d.Pushes),
		devices.RemoveGoogle(d.Pushes),

		presence.Report(d.Statuses),
		presence.List(d.Statuses),
		presence.Get(d.Statuses),
		presence.SetStatus(d.Statuses),

		uploads.Upload(d.Attachments),
		uploads.Temporary(d.Attachments),
		uploads.List(d.Attachments),
		uploads.Remove(d.Attachments),

		users.List(d.Users),
		users.Me(d.Users),
		users.Get(d.Users),
		users.Create(d.Accounts),
		users.Change(d.Accounts),
		users.Deactivate(d.Accounts),
		users.Reactivate(d.Accounts),
		users.Leave(d.Accounts),
		users.RenewKey(d.Accounts),
		users.SetAvatar(d.Avatars),
		users.RemoveAvatar(d.Avatars),

		bots.List(d.Accounts),
		bots.Create(d.Accounts),
		bots.Change(d.Accounts),
		bots.Deactivate(d.Accounts),
		bots.RenewKey(d.Accounts),
		bots.PutStorage(d.Storage),
		bots.GetStorage(d.Storage),
		bots.DeleteStorage(d.Storage),

		groups.List(d.Groups),
		groups.Create(d.Groups),
		groups.Change(d.Groups),
		groups.Remove(d.Groups),
		groups.Members(d.Groups),

		profilefields.List(d.Profiles),
		profilefields.Create(d.Profiles),
		profilefields.Reorder(d.Profiles),
		profilefields.Change(d.Profiles),
		profilefields.Remove(d.Profiles),
		users.SetAnswers(d.Profiles),
		users.ClearAnswers(d.Profiles),

		invites.List(d.Invites),
		invites.Send(d.Invites),
		invites.Withdraw(d.Invites),
		invites.Resend(d.Invites),
		invites.MakeLink(d.Invites),
		invites.EndLink(d.Invites),

		exports.Request(d.Exports),
		exports.List(d.Exports),
		exports.Delete(d.Exports),
	}
}

// Development returns further endpoints of a local run, by which anyone can sign in as any user.
func Development(d domain.Domain) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		signin.FetchKeyUnchecked(d.Logins),
		signin.Candidates(d.Logins),
	}
}
