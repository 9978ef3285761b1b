package bots

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type keyReply struct {
	// The new key. It can't be shown again.
	APIKey string `json:"api_key"`
}

// RenewKey replaces a bot's API key, as its owner or as an administrator. Only owners of the organization replace the key of a bot
// with an owner's rights that isn't theirs.
func RenewKey(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /bots/{bot_id}/api_key/regenerate", Who: permit.Member, ChangesCallers: true,
		Faults: endpoint.Faults{account.ErrNoBot, account.ErrPermission, permit.ErrNotOwner},
	}, func(ctx context.Context, who actor.Actor, in targetParams) (keyReply, error) {
		key, err := accounts.RenewBotKey(ctx, who, in.BotID)
		return keyReply{key}, err
	})
}
