package drafts

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type removeParams struct {
	// ID of the draft.
	DraftID int64 `path:"draft_id"`
}

// Remove deletes a draft of the caller.
func Remove(drafts *draft.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /drafts/{draft_id}", Who: permit.Anyone, Faults: endpoint.Faults{draft.ErrNone},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, drafts.Delete(ctx, who, in.DraftID)
	})
}
