package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/subscription"
)

type listParams struct {
	// Whether to add the subscribers to each stream. May be slow in large organizations.
	IncludeSubscribers bool `param:"include_subscribers" default:"false"`
}

type listReply struct {
	// Subscriptions are sorted by the stream's name.
	Subscriptions []event.Subscription `json:"subscriptions"`
}

// List returns the streams that the caller is subscribed to.
func List(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /users/me/subscriptions",
		Who:    permit.Anyone,
		Memory: 4 << 20,
	}, func(ctx context.Context, who actor.Actor, in listParams) (listReply, error) {
		list, err := subscriptions.List(ctx, who, in.IncludeSubscribers)
		return listReply{list}, err
	})
}
