package program

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/metric"

	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/reaction"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/status"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/topic"
	"chatserver.dev/pkg/user"
	routes "chatserver.dev/services/api"
	"chatserver.dev/services/events"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/state"
	"chatserver.dev/services/webhook"
)

// Domain is what may be done in organizations.
type Domain struct {
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
}

// NewDomain makes the domain's services.
func NewDomain(d boot.Deps) Domain {
	renderer := markdown.New(markdown.Config{})
	alerts := alert.New(d.DB)
	messages := message.New(message.Deps{
		DB: d.DB, Orgs: d.Orgs, Alerts: alerts, Markdown: renderer, Throttle: d.Throttle, Now: d.Now, Logger: d.Logger,
	})
	return Domain{
		Users:         user.New(d.DB, d.Orgs, d.Now),
		Streams:       stream.New(d.DB, d.Orgs, renderer, messages),
		Subscriptions: subscription.New(d.DB, d.Orgs, renderer, messages, d.Now),
		Topics:        topic.New(d.DB),
		Messages:      messages,
		Revisions:     revision.New(d.DB, d.Orgs, messages, d.Now),
		Reactions:     reaction.New(d.DB),
		Inbox:         inbox.New(d.DB),
		Feed:          feed.New(d.DB, d.Orgs),
		Alerts:        alerts,
		Statuses:      status.New(status.Deps{DB: d.DB, Orgs: d.Orgs, Presence: d.Presence, Now: d.Now, Logger: d.Logger}),
	}
}

func api(d boot.Deps, domain Domain) boot.Part {
	return boot.Part{Name: "api", Pages: routes.Pages(), Endpoints: routes.Endpoints(routes.Deps{
		Orgs: d.Orgs, Users: domain.Users, Streams: domain.Streams, Subscriptions: domain.Subscriptions,
		Topics: domain.Topics, Messages: domain.Messages, Feed: domain.Feed, Inbox: domain.Inbox, Revisions: domain.Revisions,
		Reactions: domain.Reactions, Alerts: domain.Alerts, Statuses: domain.Statuses, Version: d.Version,
	})}
}

func clientEvents(d boot.Deps, domain Domain, config dispatch.Config) (boot.Part, error) {
	initial := state.New(state.Deps{
		Orgs: d.Orgs, Subscriptions: domain.Subscriptions, Statuses: domain.Statuses, Webhooks: webhook.Names(), Now: d.Now,
	})
	service := events.New(events.Deps{
		DB: d.DB, Redis: d.Redis, State: initial, Config: config, Failpoints: d.Failpoints,
		Version: d.Version, Now: d.Now, Logger: d.Logger,
	})
	_, err := d.Meter.Int64ObservableGauge("chatserver.polls.waiting", metric.WithDescription("Long polls that wait."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(service.Waiting()))
			return nil
		}))
	if err != nil {
		return boot.Part{}, fmt.Errorf("measure waiting polls: %w", err)
	}
	return boot.Part{Name: "events", Endpoints: service.Endpoints(), Run: service.Run, Drain: service.Drain}, nil
}

func incoming(_ boot.Deps, domain Domain) boot.Part {
	return boot.Part{Name: "webhook", Endpoints: webhook.Endpoints(domain.Messages)}
}
