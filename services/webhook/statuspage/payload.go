// Package statuspage implements the integration for Statuspage (rest-api.md, section 6.5).
package statuspage

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What changed: an object with page, and incident or component with component_update.
	Payload any `body:"json"`
}

// Receive reports incidents and changes of components.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("statuspage", "Statuspage", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
