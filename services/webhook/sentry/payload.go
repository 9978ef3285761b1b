// Package sentry implements the integration for Sentry: for webhooks of its integration platform, and of the legacy
// plugin (rest-api.md, section 6.5).
package sentry

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What Sentry sends: an object with action, actor and data, which has the issue, the event, the comment or the metric
	// alert; by the legacy plugin, an object with project_name, url, level and message.
	Payload any `body:"json"`
}

// Receive reports new events, what happens to issues, comments and metric alerts.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("sentry", "Sentry", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		payload := hook.NewDocument(in.Payload)
		kind := kindOf(payload)
		if kind == "" {
			return endpoint.Nothing{}, h.Invalid(ctx, who)
		}
		return h.Dispatch(ctx, who, in.Target, kind, in.Payload, reports())
	})
}
