// Package buildbot implements the integration for Buildbot's reporter ZulipStatusPush (rest-api.md, section 6.5).
package buildbot

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What Buildbot sends. The member event says what it reports.
	Payload any `body:"json"`
}

// Receive reports the beginning and the end of builds.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("buildbot", "Buildbot", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, hook.NewDocument(in.Payload).Text("event"), in.Payload, reports())
	})
}
