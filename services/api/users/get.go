package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type getParams struct {
	// The account to read.
	UserID id.User `path:"user_id"`
	viewParams
}

type getReply struct {
	// The account.
	User event.UserObject `json:"user"`
}

// Get returns one account of the organization, which may be deactivated or a bot.
func Get(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users/{user_id}", Who: permit.Anyone,
		Faults: endpoint.Faults{user.ErrNoSuchUser},
	}, func(ctx context.Context, who actor.Actor, in getParams) (getReply, error) {
		found, err := users.Get(ctx, who, in.UserID, in.options())
		return getReply{found}, err
	})
}
