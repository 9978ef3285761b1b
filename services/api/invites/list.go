package invites

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/permit"
)

type listParams struct{}

type listReply struct {
	// The invitations of the last 10 days that haven't been accepted, by id.
	Invites []invite.Invitation `json:"invites"`
}

// List returns invitations that haven't been accepted. Administrators get all of them, other members those that they
// sent by mail.
func List(invites *invite.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /invites", Who: permit.Member,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		all, err := invites.List(ctx, who)
		return listReply{all}, err
	})
}
