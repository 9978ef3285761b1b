package presence

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/presence"
)

type statusParams struct {
	// Whether the user is shown as away; absent: unchanged.
	Away *bool `param:"away"`
	// Text of the status, at most 60 characters; empty: none; absent: unchanged.
	StatusText *string `param:"status_text"`
}

// SetStatus changes the caller's status.
func SetStatus(statuses *presence.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/status", Who: permit.Human,
		Faults: endpoint.Faults{presence.ErrNothing, presence.ErrLong},
	}, func(ctx context.Context, who actor.Actor, in statusParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, statuses.Set(ctx, who, in.Away, in.StatusText)
	})
}
