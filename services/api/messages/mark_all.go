package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/permit"
)

type markAllParams struct{}

// MarkAll marks all of the caller's messages as read.
func MarkAll(marks *inbox.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /mark_all_as_read",
		Who:   permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ markAllParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, marks.MarkAll(ctx, who)
	})
}
