package drafts

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type addParams struct {
	// Drafts to store. An account has at most 100.
	Drafts []draft.Draft `param:"drafts"`
}

type addReply struct {
	// IDs of the drafts, in the order of the request.
	IDs []int64 `json:"ids"`
}

// Add stores drafts of the caller. If one is refused, it stores none.
func Add(drafts *draft.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /drafts", Who: permit.Anyone, MaxBody: endpoint.LargeBody, Faults: append(faults(), draft.ErrMany),
	}, func(ctx context.Context, who actor.Actor, in addParams) (addReply, error) {
		ids, err := drafts.Add(ctx, who, in.Drafts)
		return addReply{ids}, err
	})
}
