package bots

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type targetParams struct {
	// ID of the bot.
	BotID id.User `path:"bot_id"`
}

// Deactivate deactivates a bot, as its owner or as an administrator. POST /users/{user_id}/reactivate makes it active again.
func Deactivate(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /bots/{bot_id}", Who: permit.Anyone, ChangesCallers: true,
		Faults: endpoint.Faults{account.ErrNoBot, account.ErrPermission},
	}, func(ctx context.Context, who actor.Actor, in targetParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.DeactivateBot(ctx, who, in.BotID)
	})
}
