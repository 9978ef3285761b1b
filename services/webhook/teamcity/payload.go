// Package teamcity implements the integration for TeamCity: for its own webhooks, and for those of the plugin tcWebHooks
// (rest-api.md, section 6.5).
package teamcity

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What TeamCity sends. The member eventType says what it reports. Without it, the member build is a build. Without
	// both, the bot's owner is notified, and nothing is sent.
	Payload any `body:"json"`
}

// Receive reports the beginning and the results of builds.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("teamcity", "Teamcity", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		kind := kindOf(hook.NewDocument(in.Payload))
		if kind == "" { // a format that the plugin has for another service, such as Slack: the owner can change it (rest-api.md, section 6.1)
			_ = h.Invalid(ctx, who)
			return endpoint.Nothing{}, nil
		}
		return h.Dispatch(ctx, who, in.Target, kind, in.Payload, reports())
	})
}
