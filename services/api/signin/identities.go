package signin

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type identitiesParams struct{}

type identitiesReply struct {
	// The identities, the oldest first; 100 at most.
	Identities []account.Linked `json:"identities"`
}

// Identities lists the identities at identity providers that can sign in as the caller: at most one of each provider.
func Identities(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /identities", Who: permit.Human,
	}, func(ctx context.Context, who actor.Actor, _ identitiesParams) (identitiesReply, error) {
		linked, err := accounts.Linked(ctx, who)
		return identitiesReply{linked}, err
	})
}
