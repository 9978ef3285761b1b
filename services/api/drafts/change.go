package drafts

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type changeParams struct {
	// ID of the draft.
	DraftID int64 `path:"draft_id"`
	// What replaces the draft.
	Draft draft.Draft `param:"draft"`
}

// Change replaces a draft of the caller.
func Change(drafts *draft.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /drafts/{draft_id}", Who: permit.Anyone, Faults: append(faults(), draft.ErrNone),
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, drafts.Change(ctx, who, in.DraftID, in.Draft)
	})
}
