package devices

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/push"
)

const (
	appleRoute  = "/users/me/apns_device_token"
	googleRoute = "/users/me/android_gcm_reg_id"
)

type tokenParams struct {
	// What the device's service made for the app; 4096 bytes at most.
	Token string `param:"token"`
}

// tokenHandler does something with a token of the caller's.
type tokenHandler func(ctx context.Context, who actor.Actor, in tokenParams) (endpoint.Nothing, error)

// addToken keeps tokens of a service.
func addToken(pushes *push.Service, of push.TokenService) tokenHandler {
	return func(ctx context.Context, who actor.Actor, in tokenParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, pushes.AddToken(ctx, who, of, in.Token)
	}
}

// removeToken forgets tokens of a service.
func removeToken(pushes *push.Service, of push.TokenService) tokenHandler {
	return func(ctx context.Context, who actor.Actor, in tokenParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, pushes.RemoveToken(ctx, who, of, in.Token)
	}
}
