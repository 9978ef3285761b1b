package presence

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/presence"
)

type listParams struct{}

// List returns the presence of users who were present in the last two weeks.
func List(statuses *presence.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/presence", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listing, error) {
		everybody, at, err := statuses.Everybody(ctx, who)
		return listing{everybody, presence.Seconds(at)}, err
	})
}
