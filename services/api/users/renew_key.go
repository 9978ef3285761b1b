package users

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

// RenewKey replaces the caller's API key, and signs out all programs that signed in with the password.
func RenewKey(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/api_key/regenerate", Who: permit.Anyone, ChangesCallers: true,
	}, func(ctx context.Context, who actor.Actor, _ meParams) (keyReply, error) {
		key, err := accounts.RenewKey(ctx, who)
		return keyReply{key}, err
	})
}
