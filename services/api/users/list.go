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
	// Whether to leave out the addresses of pictures on a third party's host, which the client
	// makes up from the account's email address. Ignored where email addresses are hidden.
	HostedAvatar bool `param:"client_hosted_avatar" compat:"client_gravatar" default:"false"`
	// Whether to add the answers to the organization's custom profile fields.
	Profiles bool `param:"include_custom_profile_fields" default:"false"`
}

func (p viewParams) options() user.Options {
	return user.Options{HostedAvatar: p.HostedAvatar, Profiles: p.Profiles}
}

type listReply struct {
	// All accounts by id, people and bots, with the deactivated ones.
	Members []event.UserObject `json:"members"`
}

// List returns all accounts of the organization.
func List(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users", Who: permit.Anyone, Memory: 4 << 20,
	}, func(ctx context.Context, who actor.Actor, in viewParams) (listReply, error) {
		members, err := users.List(ctx, who, in.options())
		return listReply{members}, err
	})
}
