package program

import (
	"time"

	keeping "chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/services/admin"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/webhook"
)

// settle is longer than what an authenticator remembers takes to be forgotten everywhere.
const settle = 5 * time.Second

// NewAdmin makes the service behind the admin interface.
func NewAdmin(d boot.Deps, services domain.Domain) *keeping.Service {
	return keeping.New(keeping.Deps{
		DB: d.DB, Redis: d.Redis, Orgs: d.Orgs, Users: services.Users, Streams: services.Streams, Subscriptions: services.Subscriptions,
		Presence: d.Presence, Render: markdown.New(markdown.Config{}), Database: d.Config.Store, Integrations: webhook.Names(),
		Version: d.Version, Now: d.Now, Settle: settle,
	})
}

// withAdmin adds the admin interface to the parts of a process, where the configuration wants it.
func withAdmin(d boot.Deps, services domain.Domain, config admin.Config, parts ...boot.Part) ([]boot.Part, error) {
	if config.Addr == "" {
		return parts, nil
	}
	if err := config.Check(); err != nil {
		return nil, err
	}
	secured, err := config.TLS(d.Logger)
	if err != nil {
		return nil, err
	}
	handler := admin.NewHandler(admin.Operations(NewAdmin(d, services)), admin.NewTokens(config), d.Logger)
	return append(parts, boot.Serve("admin", "ADMIN_ADDR", config.Addr, secured, handler, d.Logger)), nil
}
