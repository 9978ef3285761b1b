// Package papertrail implements the integration for Papertrail (rest-api.md, section 6.5).
package papertrail

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What a saved search found, as JSON or in a form: an object with saved_search and events, or counts.
	Payload any `body:"json" form:"payload"`
}

// Receive reports the log lines that a saved search found.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("papertrail", "Papertrail", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
