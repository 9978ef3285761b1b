// Package pagerduty implements the integration for PagerDuty: for its webhooks of all three versions (rest-api.md, section
// 6.5).
package pagerduty

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What PagerDuty sends: an object with event (version 3), or with messages, a list (versions 1 and 2).
	Payload any `body:"json"`
}

// Receive reports what happens to incidents.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("pagerduty", "PagerDuty", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		happened := incidents(hook.NewDocument(in.Payload))
		if len(happened) == 0 {
			return endpoint.Nothing{}, h.Invalid(ctx, who)
		}
		said, unknown := report(happened)
		if unknown != "" && len(said) == 0 {
			return endpoint.Nothing{}, h.Unexpected(unknown)
		}
		return h.Send(ctx, who, in.Target, said...)
	})
}
