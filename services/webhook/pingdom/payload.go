// Package pingdom implements the integration for Pingdom (rest-api.md, section 6.5).
package pingdom

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What a check found: an object with check_name, check_type, check_params, previous_state and current_state.
	Payload any `body:"json"`
}

// Receive reports that a check changed its state.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("pingdom", "Pingdom", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
