package invites

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/permit"
)

type endLinkParams struct {
	// ID of the link.
	ID int64 `path:"invite_id"`
}

// EndLink ends a reusable invitation link. Only owners can end a link that creates owners.
func EndLink(invites *invite.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /invites/multiuse/{invite_id}", Who: permit.Admin,
		Faults: endpoint.Faults{permit.ErrNotAdmin, invite.ErrUnknown, permit.ErrNotOwner},
	}, func(ctx context.Context, who actor.Actor, in endLinkParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, invites.Withdraw(ctx, who, in.ID, true)
	})
}
