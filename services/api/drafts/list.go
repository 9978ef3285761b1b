package drafts

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type listReply struct {
	// Number of drafts, at most 100.
	Count int `json:"count"`
	// The drafts by their IDs.
	Drafts map[string]draft.Draft `json:"drafts"`
}

// List lists the caller's drafts.
func List(drafts *draft.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /drafts", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ endpoint.Nothing) (listReply, error) {
		all, err := drafts.List(ctx, who, endpoint.Reserve)
		return listReply{len(all), all}, err
	})
}
