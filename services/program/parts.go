package program

import (
	"chatserver.dev/pkg/boot"
	routes "chatserver.dev/services/api"
	"chatserver.dev/services/api/images"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/events/state"
	"chatserver.dev/services/webhook"
)

// NewDomain makes the domain's services.
func NewDomain(d boot.Deps) domain.Domain {
	return domain.New(domain.Deps{
		DB: d.DB, Orgs: d.Orgs, Throttle: d.Throttle, Presence: d.Presence, Logins: d.Logins, Images: d.Images, Now: d.Now, Logger: d.Logger,
	})
}

func api(d boot.Deps, in domain.Domain) (boot.Part, error) {
	pages := routes.Pages(in.Users, d.Accounts, d.Logger)
	if d.Images != nil {
		proxy, err := images.New(images.Deps{
			Signer: d.Images, Rate: d.Config.Limit.Images, MaxBytes: d.Config.Images.MaxBytes, Meter: d.Meter, Now: d.Now, Logger: d.Logger,
		})
		if err != nil {
			return boot.Part{}, err
		}
		pages[images.Route] = proxy
	}
	return boot.Part{Name: "api", Pages: pages, Endpoints: routes.Endpoints(in, d.Version)}, nil
}

func clientEvents(d boot.Deps, in domain.Domain, config events.Config) (boot.Part, error) {
	initial := state.New(state.Deps{
		Orgs: d.Orgs, Subscriptions: in.Subscriptions, Statuses: in.Statuses, Webhooks: webhook.Names(), Now: d.Now,
	})
	service, err := events.New(events.Deps{
		DB: d.DB, Redis: d.Redis, State: initial, Config: config, Failpoints: d.Failpoints,
		Version: d.Version, Meter: d.Meter, Now: d.Now, Logger: d.Logger,
	})
	if err != nil {
		return boot.Part{}, err
	}
	d.Accounts.OnChange(service.Recheck)
	return boot.Part{Name: "events", Endpoints: service.Endpoints(), Run: service.Run, Drain: service.Drain}, nil
}

func incoming(in domain.Domain) boot.Part {
	return boot.Part{Name: "webhook", Endpoints: webhook.Endpoints(in.Messages)}
}
