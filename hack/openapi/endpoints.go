package main

import (
	"path/filepath"
	"reflect"
	"slices"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/api"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/webhook"
)

// endpoints returns every endpoint of the product. The services are nil, which is possible because declaring an
// endpoint uses none of them.
func endpoints() []endpoint.Endpoint {
	return slices.Concat(api.Endpoints(domain.Domain{}, ""), (*events.Service)(nil).Endpoints(), webhook.Endpoints(nil))
}

// polled is the answer of the long poll, whose endpoint writes its answers itself (events.md, section 2.5).
type polled struct {
	// Queue that was polled.
	QueueID string `json:"queue_id"`
	// Events that the client hasn't acknowledged, oldest first. Empty if there are none and the client asked not to
	// wait, or if a newer poll of the queue replaced this one.
	Events []any `json:"events"`
}

// raw returns the replies of the endpoints that write their answers themselves, by their routes.
func raw() map[string]reflect.Type {
	return map[string]reflect.Type{"GET /api/v1/events": reflect.TypeFor[polled]()}
}

// sources returns the module folders in which the endpoints and their types are declared.
func sources(root string) []Source {
	return []Source{
		{Module: reflect.TypeFor[polled]().PkgPath(), Dir: filepath.Join(root, "hack", "openapi")},
		{Module: "chatserver.dev/pkg", Dir: filepath.Join(root, "pkg")},
		{Module: "chatserver.dev/services", Dir: filepath.Join(root, "services")},
	}
}
