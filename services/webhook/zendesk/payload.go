// Package zendesk implements the integration for Zendesk: for webhooks of triggers and automations, whose text an administrator of
// Zendesk writes, and for webhooks of ticket events.
package zendesk

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What a trigger sends: ticket_id, ticket_title and message, as JSON or as a form. What a ticket event sends: type, detail and event.
	Payload any `body:"json" form:"*"`
}

// Receive reports tickets, and what happens to them.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("zendesk", "Zendesk", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		d := hook.NewDocument(in.Payload)
		if d.Has("type") && d.Has("detail") {
			return h.Dispatch(ctx, who, in.Target, kindOf(d), in.Payload, reports())
		}
		return h.SendReport(ctx, who, in.Target, written(d))
	})
}
