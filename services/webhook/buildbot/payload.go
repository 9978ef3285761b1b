// Package buildbot implements the integration for Buildbot's reporters ZulipStatusPush and HttpStatusPush (rest-api.md, section 6.5).
package buildbot

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What Buildbot sends. The member event says what it reports. Without it, it is a build, which is complete or not.
	Payload any `body:"json"`
}

// Receive reports the beginning and the end of builds.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("buildbot", "Buildbot", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, kindOf(hook.NewDocument(in.Payload)), in.Payload, reports())
	})
}
