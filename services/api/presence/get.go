package presence

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/presence"
)

type getParams struct {
	// Email address of the user, as others see it.
	Email string `path:"email"`
}

type getReply struct {
	// The last report of each of the user's clients, by its name; "aggregated" is the newest report, or "offline" if
	// that is older than five minutes.
	Presence presence.Clients `json:"presence"`
}

// Get returns the presence of a user.
func Get(statuses *presence.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users/{email}/presence", Who: permit.Anyone,
		Faults: endpoint.Faults{presence.ErrNoSuchUser, presence.ErrBot, presence.ErrNoData},
	}, func(ctx context.Context, who actor.Actor, in getParams) (getReply, error) {
		clients, err := statuses.Of(ctx, who, in.Email)
		return getReply{clients}, err
	})
}
