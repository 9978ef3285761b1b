// Package domain creates the services behind the endpoints, in one place for all processes and tests.
package domain

import (
	"log/slog"
	"runtime"
	"slices"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/botstorage"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/neworg"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/outgoing"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/policy"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/provision"
	"chatserver.dev/pkg/push"
	"chatserver.dev/pkg/reaction"
	"chatserver.dev/pkg/realmexport"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/submessage"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/topic"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/pkg/user"
)

// maxPicturesWaiting is the maximum number of uploaded images, of up to 5 MiB each, that wait in a process.
const maxPicturesWaiting = 8

// picturesTimeout limits the time that the pictures of one upload take.
const picturesTimeout = 10 * time.Second

// maxThumbnailsWaiting is the maximum number of thumbnails that wait in a process. Waiting ones take no memory.
const maxThumbnailsWaiting = 64

// Deps are the dependencies of the services.
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Throttle *limit.Throttle
	Presence *presence.Store
	Logins   *login.Service
	// Providers are the identity providers, in the order of their slots.
	Providers []provider.Provider
	// Blobs stores files; nil: files can't be stored.
	Blobs blob.Store
	// Keys sign addresses that work without authentication.
	Keys *keyring.Ring
	// Images signs the addresses of other servers' images; nil: such images are links.
	Images *imagelink.Signer
	// Mail reports whether the server sends mail.
	Mail bool
	// Push configures notifications of browsers.
	Push   push.Config
	Now    func() time.Time
	Logger *slog.Logger
}

// Domain has the services. They are nil in the zero value, which is sufficient for declaring endpoints.
type Domain struct {
	Files         *file.Store
	Attachments   *attachment.Service
	Images        *imagelink.Signer // nil: images of other servers are links
	Orgs          *org.Service
	Policy        *policy.Service
	Linkifiers    *linkifier.Service
	Users         *user.Service
	Accounts      *account.Service
	Logins        *login.Service
	Providers     []provider.Provider
	Provision     *provision.Service
	Invites       *invite.Service
	NewOrgs       *neworg.Service
	Streams       *stream.Service
	Subscriptions *subscription.Service
	Topics        *topic.Service
	Messages      *message.Service
	Drafts        *draft.Service
	Revisions     *revision.Service
	Reactions     *reaction.Service
	Inbox         *inbox.Service
	Feed          *feed.Service
	Alerts        *alert.Service
	Groups        *group.Service
	Profiles      *profile.Service
	Submessages   *submessage.Service
	Statuses      *presence.Service
	Storage       *botstorage.Service
	Calls         *outgoing.Service
	Emoji         *customemoji.Service
	Avatars       *avatar.Service
	Branding      *branding.Service
	Exporter      *transfer.Exporter
	Importer      *transfer.Importer
	Missed        *missed.Service
	Exports       *realmexport.Service
	Pushes        *push.Service
}

// Kinds returns the kinds of changes that take several transactions.
func (d Domain) Kinds() []steps.Resumable {
	return slices.Concat(d.Revisions.Kinds(), d.Streams.Kinds(), d.Profiles.Kinds(), d.Policy.Kinds(), d.Users.Kinds(), d.Accounts.Kinds())
}

// Mails returns all kinds of mail.
func (d Domain) Mails() []mail.Composer {
	return slices.Concat(d.Logins.Mails(), d.Accounts.Mails(), d.Invites.Mails(), d.NewOrgs.Mails(), d.Missed.Mails())
}

// New returns the services.
func New(d Deps) Domain {
	config := markdown.Config{}
	if d.Images != nil {
		config.ImageSource = d.Images.Path
	}
	renderer := markdown.New(config)
	alerts, linkifiers := alert.New(d.DB), linkifier.New(d.DB, d.Logger)
	calls := outgoing.NewSignal()
	messages := message.New(message.Deps{
		DB: d.DB, Orgs: d.Orgs, Alerts: alerts, Linkifiers: linkifiers, Markdown: renderer, Throttle: d.Throttle,
		Called: calls.Stored, Now: d.Now, Logger: d.Logger,
	})
	reader := feed.New(d.DB, d.Orgs, linkifiers)
	users := user.New(d.DB, d.Orgs, d.Now)
	profiles := profile.New(d.DB, d.Orgs, renderer, d.Now)
	subscriptions := subscription.New(d.DB, d.Orgs, renderer, messages, d.Now)
	streams := stream.New(d.DB, d.Orgs, renderer, messages, d.Now)
	files, groups := file.New(d.DB, d.Blobs, d.Logger), group.New(d.DB, d.Orgs)
	pictures := picture.NewMaker(max(1, runtime.GOMAXPROCS(0)/2), maxPicturesWaiting, picturesTimeout)
	avatars := avatar.New(avatar.Deps{DB: d.DB, Orgs: d.Orgs, Files: files, Pictures: pictures})
	accounts := account.New(account.Deps{
		DB: d.DB, Orgs: d.Orgs, Users: users, Subscriptions: subscriptions, Logins: d.Logins, Profiles: profiles, Messages: messages, Avatars: avatars,
		Presence: d.Presence, Now: d.Now,
	})
	logos := branding.New(branding.Deps{DB: d.DB, Orgs: d.Orgs, Files: files, Pictures: pictures})
	exporter := transfer.NewExporter(transfer.ExporterDeps{DB: d.DB, Orgs: d.Orgs, Files: files, Avatars: avatars, Now: d.Now})
	return Domain{
		Files:  files,
		Images: d.Images,
		Attachments: attachment.New(attachment.Deps{
			DB: d.DB, Orgs: d.Orgs, Files: files, Pictures: pictures.Beside(maxThumbnailsWaiting), Keys: d.Keys, Now: d.Now,
		}),
		Orgs:       d.Orgs,
		Policy:     policy.New(policy.Deps{DB: d.DB, Orgs: d.Orgs, Render: renderer, Linkifiers: linkifiers, Now: d.Now}),
		Linkifiers: linkifiers,
		Users:      users,
		Accounts:   accounts,
		Logins:     d.Logins,
		Providers:  d.Providers,
		Invites:    invite.New(invite.Deps{DB: d.DB, Orgs: d.Orgs, Accounts: accounts, Logins: d.Logins, Mail: d.Mail, Open: d.Orgs.Config().SignUp, Now: d.Now}),
		Provision:  provision.New(provision.Deps{DB: d.DB, Orgs: d.Orgs, Accounts: accounts, UserGroups: groups}),
		NewOrgs: neworg.New(neworg.Deps{
			DB: d.DB, Orgs: d.Orgs, Users: users, Accounts: accounts, Streams: streams, Logins: d.Logins, Now: d.Now, Open: d.Orgs.Config().SignUp, Logger: d.Logger,
		}),
		Streams:       streams,
		Subscriptions: subscriptions,
		Topics:        topic.New(d.DB),
		Messages:      messages,
		Drafts:        draft.New(d.DB, d.Now),
		Revisions:     revision.New(d.DB, d.Orgs, messages, d.Now),
		Reactions:     reaction.New(d.DB),
		Inbox:         inbox.New(d.DB),
		Feed:          reader,
		Alerts:        alerts,
		Groups:        groups,
		Profiles:      profiles,
		Submessages:   submessage.New(d.DB),
		Statuses:      presence.New(presence.Deps{DB: d.DB, Orgs: d.Orgs, Store: d.Presence, Now: d.Now, Logger: d.Logger}),
		Storage:       botstorage.New(d.DB),
		Calls:         outgoing.New(outgoing.Deps{DB: d.DB, Orgs: d.Orgs, Messages: messages, Feed: reader, Signal: calls, Now: d.Now}),
		Emoji:         customemoji.New(customemoji.Deps{DB: d.DB, Orgs: d.Orgs, Files: files, Pictures: pictures, Now: d.Now}),
		Avatars:       avatars,
		Branding:      logos,
		Exporter:      exporter,
		Exports:       realmexport.New(realmexport.Deps{DB: d.DB, Orgs: d.Orgs, Exporter: exporter, Files: files, Now: d.Now, Logger: d.Logger}),
		Importer: transfer.NewImporter(transfer.ImporterDeps{
			DB: d.DB, Orgs: d.Orgs, Markdown: renderer, Files: files, Pictures: pictures, Avatars: avatars, Branding: logos, Profiles: profiles,
			Linkifiers: linkifiers, Now: d.Now,
		}),
		Missed: missed.New(missed.Deps{
			DB: d.DB, Orgs: d.Orgs, Users: users, Subscriptions: subscriptions, Presence: d.Presence, Keys: d.Keys, Mail: d.Mail,
			Push: d.Push.Key != "", PushContent: d.Push.Content, Now: d.Now, Logger: d.Logger,
		}),
		Pushes: push.New(push.Deps{DB: d.DB, Keys: d.Push.Keys()}),
	}
}
