// Package program puts the services together into the processes that run: one for each service, and
// one with all of them for a small server.
package program

import (
	"chatserver.dev/pkg/boot"
	"chatserver.dev/services/admin"
	"chatserver.dev/services/api/streams"
	"chatserver.dev/services/compat"
	"chatserver.dev/services/events/dispatch"
)

// API is the process of the service api.
func API() boot.Program {
	forMachines := &admin.Config{}
	return boot.Program{Name: "api", Wrap: compat.Wrap, Settings: []any{forMachines}, Parts: func(d boot.Deps) ([]boot.Part, error) {
		domain := NewDomain(d)
		return withAdmin(d, domain, *forMachines, api(d, domain))
	}}
}

// Events is the process of the service events.
func Events() boot.Program {
	settings := &dispatch.Config{}
	return boot.Program{Name: "events", Wrap: compat.Wrap, Settings: []any{settings}, Parts: func(d boot.Deps) ([]boot.Part, error) {
		domain := NewDomain(d)
		events, err := clientEvents(d, domain, *settings)
		// What compat asks for the names of streams. Clients call it at the service api.
		events.Endpoints = append(events.Endpoints, streams.List(domain.Streams))
		return []boot.Part{events}, err
	}}
}

// Webhook is the process of the service webhook.
func Webhook() boot.Program {
	return boot.Program{Name: "webhook", Parts: func(d boot.Deps) ([]boot.Part, error) {
		return []boot.Part{incoming(d, NewDomain(d))}, nil
	}}
}

// All is all services in one process.
func All() boot.Program {
	settings, forMachines := &dispatch.Config{}, &admin.Config{}
	return boot.Program{Name: "chatserver", Wrap: compat.Wrap, Settings: []any{settings, forMachines}, Parts: func(d boot.Deps) ([]boot.Part, error) {
		domain := NewDomain(d)
		events, err := clientEvents(d, domain, *settings)
		if err != nil {
			return nil, err
		}
		return withAdmin(d, domain, *forMachines, events, api(d, domain), incoming(d, domain))
	}}
}
