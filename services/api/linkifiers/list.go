package linkifiers

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/permit"
)

type listParams struct{}

type listReply struct {
	// Linkifiers, in the order in which they are applied: each as its pattern, the format of the address, and its id.
	Filters []event.Linkifier `json:"filters"`
}

// List returns the organization's linkifiers.
func List(linkifiers *linkifier.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/filters", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		all, err := linkifiers.List(ctx, who)
		return listReply{all}, err
	})
}
