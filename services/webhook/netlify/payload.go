// Package netlify implements the integration for notifications of Netlify (rest-api.md, section 6.5).
package netlify

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What the payload reports, such as deploy_created.
	Event string `header:"X-Netlify-Event"`
	// What Netlify sends.
	Payload any `body:"json"`
}

// Receive reports deploys and submissions of forms.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("netlify", "Netlify", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, in.Event, in.Payload, reports())
	})
}
