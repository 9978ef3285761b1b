package program

import (
	"time"

	keeping "chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/webhook"
)

// settle is longer than it takes until no authenticator has outdated cache entries.
const settle = 5 * time.Second

// newAdmin returns the service behind the admin interface.
func newAdmin(d boot.Deps, services domain.Domain) *keeping.Service {
	return keeping.New(keeping.Deps{
		DB: d.DB, Redis: d.Redis, Orgs: d.Orgs, Policy: services.Policy, Linkifiers: services.Linkifiers, Users: services.Users,
		Accounts: services.Accounts, Logins: services.Logins, UserGroups: services.Groups, Streams: services.Streams, Subscriptions: services.Subscriptions,
		Presence: d.Presence, Render: markdown.New(markdown.Config{}), Database: d.Config.Store, Integrations: webhook.Names(),
		Version: d.Version, Now: d.Now, Settle: settle,
	})
}
