package program

import (
	"errors"
	"maps"
	"slices"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/incomingmail"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/admin"
	routes "chatserver.dev/services/api"
	"chatserver.dev/services/api/images"
	"chatserver.dev/services/api/mailbox"
	"chatserver.dev/services/api/openid"
	"chatserver.dev/services/api/plain"
	"chatserver.dev/services/api/scim"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/events/state"
	"chatserver.dev/services/lmtp"
	"chatserver.dev/services/outgoing"
	"chatserver.dev/services/web"
	"chatserver.dev/services/webhook"
)

// NewDomain returns the domain's services. blobs is nil if the process stores no files.
func NewDomain(d boot.Deps, blobs blob.Store) domain.Domain {
	return domain.New(domain.Deps{
		DB: d.DB, Blobs: blobs, Keys: d.Keys, Orgs: d.Orgs, Throttle: d.Throttle, Presence: d.Presence, Logins: d.Logins, Providers: d.Providers, Images: d.Images, Mail: d.Config.Mail.Enabled(), Push: d.Config.Push, Now: d.Now, Logger: d.Logger,
	})
}

func api(d boot.Deps, in domain.Domain, client web.Config) (boot.Part, error) {
	pages := routes.Pages(in, client, d.Accounts, d.Now, d.Logger)
	maps.Copy(pages, openid.New(openid.Deps{
		Providers: d.Providers, Orgs: d.Orgs, Accounts: in.Accounts, Logins: d.Logins, Client: client.Enabled, Now: d.Now, Logger: d.Logger,
	}).Routes())
	if d.Config.Mail.Page {
		pages[mailbox.Route] = mailbox.Page(mail.NewFolder(d.Config.Mail, d.Now), d.Config.Org, d.Logger)
	}
	if d.Images != nil {
		proxy, err := images.New(images.Deps{
			Signer: d.Images, Rate: d.Config.Limit.Images, MaxBytes: d.Config.Images.MaxBytes, Meter: d.Meter, Now: d.Now, Logger: d.Logger,
		})
		if err != nil {
			return boot.Part{}, err
		}
		pages[images.Route] = proxy
	}
	pages[scim.Route] = scim.New(scim.Deps{Orgs: d.Orgs, People: in.Provision, Now: d.Now, Logger: d.Logger})
	endpoints := routes.Endpoints(in, d.Version)
	if slices.ContainsFunc(d.Orgs.Config().Methods, func(m org.Method) bool { return m.Name == org.Development }) {
		endpoints = append(endpoints, routes.Development(in)...)
	}
	return boot.Part{Name: "api", Pages: pages, Unknown: plain.Unknown(client.Enabled, d.Logger), Endpoints: endpoints}, nil
}

// requestSettings are the settings that only the service api has.
type requestSettings struct {
	admin  admin.Config
	calls  outgoing.Config
	client web.Config
}

// all returns pointers to the settings, to be read from the environment.
func (s *requestSettings) all() []any { return []any{&s.admin, &s.calls, &s.client} }

// requests returns the parts of the service api, with the admin interface if the configuration has an address for it.
func requests(d boot.Deps, services domain.Domain, settings requestSettings) ([]boot.Part, error) {
	endpoints, err := api(d, services, settings.client)
	if err != nil {
		return nil, err
	}
	rest, err := background(d, services, settings.calls)
	config := settings.admin
	if err != nil || config.Addr == "" {
		return []boot.Part{endpoints, rest}, err
	}
	if err := config.Check(); err != nil {
		return nil, err
	}
	secured, err := config.TLS(d.Logger)
	if err != nil {
		return nil, err
	}
	handler := admin.NewHandler(admin.Operations(newAdmin(d, services)), admin.NewTokens(config), d.Logger)
	return []boot.Part{endpoints, rest, boot.Serve("admin", "ADMIN_ADDR", config.Addr, secured, handler, d.Logger)}, nil
}

func clientEvents(d boot.Deps, in domain.Domain, config events.Config) (boot.Part, error) {
	initial := state.New(state.Deps{
		Orgs: d.Orgs, Users: in.Users, Subscriptions: in.Subscriptions, Statuses: in.Statuses, Uploads: d.Config.Files.Given(), Webhooks: webhook.Names(), Now: d.Now,
	})
	service, err := events.New(events.Deps{
		DB: d.DB, Redis: d.Redis, State: initial, Config: config, Failpoints: d.Failpoints,
		Host: d.Config.Org.ExternalHost, Version: d.Version, Meter: d.Meter, Tracer: d.Tracer, Now: d.Now, Logger: d.Logger,
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

// incomingMail returns the part that receives mail; none if the configuration has no address for it.
func incomingMail(d boot.Deps, in domain.Domain, config lmtp.Config) ([]boot.Part, error) {
	if config.Addr == "" {
		return nil, nil
	}
	if !d.Config.Org.MailIn.Enabled() {
		return nil, errors.New("LMTP_ADDR needs MAIL_IN, the pattern of addresses that receive mail")
	}
	secured, err := config.TLS(d.Logger)
	if err != nil {
		return nil, err
	}
	count, err := counter(d.Meter, "chatserver.received_mails", "Received mails, by outcome.", "outcome")
	if err != nil {
		return nil, err
	}
	service := incomingmail.New(incomingmail.Deps{
		DB: d.DB, Orgs: d.Orgs, Messages: in.Messages, Attachments: in.Attachments, PerOrg: d.MailIn, Logins: d.Logins, Own: d.Config.Mail.From, Now: d.Now,
	})
	return []boot.Part{lmtp.Part(config, lmtp.Deps{
		Mail: service, Domain: d.Orgs.Config().Domain(), TLS: secured, TLSRequired: config.TLSRequired, Count: count, Logger: d.Logger,
	})}, nil
}
