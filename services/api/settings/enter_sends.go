package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type enterSendsParams struct {
	// Whether the return key sends a message, rather than beginning a line.
	EnterSends bool `param:"enter_sends"`
}

// EnterSends sets whether the return key sends messages in the caller's clients. It causes no event.
func EnterSends(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/enter-sends", Who: permit.Human, ChangesCallers: true,
	}, func(ctx context.Context, who actor.Actor, in enterSendsParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, users.SetEnterSends(ctx, who, in.EnterSends)
	})
}
