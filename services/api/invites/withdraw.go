package invites

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/permit"
)

type withdrawParams struct {
	// ID of the invitation.
	ID int64 `path:"prereg_id"`
}

// Withdraw ends an invitation that was mailed: its link no longer works. Only administrators can withdraw the
// invitations of others, and only owners invitations of owners.
func Withdraw(invites *invite.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /invites/{prereg_id}", Who: permit.Member,
		Faults: endpoint.Faults{permit.ErrGuest, invite.ErrUnknown, permit.ErrNotOwner, invite.ErrNotYours},
	}, func(ctx context.Context, who actor.Actor, in withdrawParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, invites.Withdraw(ctx, who, in.ID, false)
	})
}
