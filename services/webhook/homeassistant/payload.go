// Package homeassistant implements the integration for notifications of Home Assistant, which its REST notification
// platform sends.
package homeassistant

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The notification: an object or a form with message and, optionally, topic or title.
	Payload any `body:"json" form:"*"`
}

// Receive sends a notification that an automation composes.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("homeassistant", "HomeAssistant", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
