package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type viewParams struct {
	// Whether to omit the addresses of pictures on a third party's host, which the client computes from the account's
	// email address. Ignored if email addresses are hidden.
	HostedAvatar bool `param:"client_hosted_avatar" compat:"client_gravatar" default:"false"`
	// Whether to add the answers to the organization's custom profile fields.
	Profiles bool `param:"include_custom_profile_fields" default:"false"`
}

func (p viewParams) options() user.Options {
	return user.Options{HostedAvatar: p.HostedAvatar, Profiles: p.Profiles}
}

type listReply struct {
	// All accounts by id: people and bots, including deactivated ones.
	Members endpoint.Encoded[[]event.UserObject] `json:"members"`
}

// listMemory is the memory for building a list of some thousand accounts, in bytes.
const listMemory = 4 << 20

// List returns all accounts of the organization.
func List(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, in viewParams) (listReply, error) {
		members, err := users.List(ctx, who, in.options(), func() error { return endpoint.Reserve(ctx, listMemory) })
		return listReply{endpoint.Encoded[[]event.UserObject]{JSON: members}}, err
	})
}
