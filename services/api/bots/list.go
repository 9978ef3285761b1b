package bots

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type listReply struct {
	// Active bots, the oldest first.
	Bots []account.OwnBot `json:"bots"`
}

// List returns the caller's active bots. API keys are returned only when they are issued: the server stores only their
// hashes.
func List(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /bots", Who: permit.Member,
	}, func(ctx context.Context, who actor.Actor, _ struct{}) (listReply, error) {
		bots, err := accounts.OwnBots(ctx, who)
		return listReply{bots}, err
	})
}
