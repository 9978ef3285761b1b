package invites

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/permit"
)

type resendReply struct {
	// When the invitation was sent again, in Unix seconds. It is valid for 10 days from then on.
	Timestamp int64 `json:"timestamp"`
}

// Resend mails an invitation again. It counts as another invitation for the limits.
func Resend(invites *invite.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /invites/{prereg_id}/resend", Who: permit.Member,
		Faults: endpoint.Faults{permit.ErrGuest, invite.ErrUnknown, permit.ErrNotOwner, invite.ErrNotYours, invite.ErrQuota, mail.ErrOff},
	}, func(ctx context.Context, who actor.Actor, in withdrawParams) (resendReply, error) {
		at, err := invites.Resend(ctx, who, in.ID)
		return resendReply{at}, err
	})
}
