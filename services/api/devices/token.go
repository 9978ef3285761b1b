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
	// Token that the device's push service issued for the app; 4096 bytes at most.
	Token string `param:"token"`
}

// tokenHandler adds or removes a token of the caller.
type tokenHandler func(ctx context.Context, who actor.Actor, in tokenParams) (endpoint.Nothing, error)

// addToken returns a handler that stores tokens of a push service.
func addToken(pushes *push.Service, of push.TokenService) tokenHandler {
	return func(ctx context.Context, who actor.Actor, in tokenParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, pushes.AddToken(ctx, who, of, in.Token)
	}
}

// removeToken returns a handler that removes tokens of a push service.
func removeToken(pushes *push.Service, of push.TokenService) tokenHandler {
	return func(ctx context.Context, who actor.Actor, in tokenParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, pushes.RemoveToken(ctx, who, of, in.Token)
	}
}
