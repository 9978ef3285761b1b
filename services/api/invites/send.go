package invites

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/permit"
)

type sendParams struct {
	// At most 100 addresses, separated by commas or line feeds, each alone or as in "Ada <ada@corp.example>".
	InviteeEmails string `param:"invitee_emails"`
	// Role of the new accounts: 100 (owner), 200 (administrator), 400 (member) or 600 (guest).
	InviteAs int `param:"invite_as" default:"400"`
	// Streams that the new accounts will be subscribed to, at most 100.
	StreamIDs []id.Stream `param:"stream_ids"`
}

// Send invites people by mail. Invitations are valid for 10 days. If some of the people have accounts already, the
// error INVITATION_FAILED lists them, and the others are invited. An account can send 200 invitations a day, and an
// organization 1,000.
func Send(invites *invite.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /invites", Who: permit.Member,
		Faults: endpoint.Faults{
			permit.ErrGuest, permit.ErrNotAdmin, invite.ErrRole, permit.ErrNotOwner, invite.ErrAdminRole, invite.ErrNobody, invite.ErrNoStream, invite.ErrTooMany,
			invite.ErrStream, mail.ErrOff, invite.ErrQuota, invite.ErrNew, invite.ErrInvalid, invite.ErrAllExist, invite.ErrSomeExist,
		},
	}, func(ctx context.Context, who actor.Actor, in sendParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, invites.Send(ctx, who, in.InviteeEmails, invite.Offer{As: actor.RoleOf(in.InviteAs), Streams: in.StreamIDs})
	})
}
