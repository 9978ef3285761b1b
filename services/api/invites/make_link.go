package invites

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/permit"
)

type linkParams struct {
	// Role of the new accounts: 100 (owner), 200 (administrator), 400 (member) or 600 (guest).
	InviteAs int `param:"invite_as" default:"400"`
	// Streams that the new accounts will be subscribed to, at most 100; none: the default streams.
	StreamIDs []id.Stream `param:"stream_ids" default:"[]"`
}

type linkReply struct {
	// The link's address.
	InviteLink string `json:"invite_link"`
}

// MakeLink creates a reusable invitation link, which is valid for 10 days. People who join by it have to confirm their
// address by mail. An organization can have 100 such links.
func MakeLink(invites *invite.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /invites/multiuse", Who: permit.Admin,
		Faults: endpoint.Faults{permit.ErrNotAdmin, invite.ErrRole, permit.ErrNotOwner, invite.ErrTooMany, invite.ErrLinkStream, invite.ErrLinks},
	}, func(ctx context.Context, who actor.Actor, in linkParams) (linkReply, error) {
		address, err := invites.MakeLink(ctx, who, invite.Offer{As: actor.RoleOf(in.InviteAs), Streams: in.StreamIDs})
		return linkReply{address}, err
	})
}
