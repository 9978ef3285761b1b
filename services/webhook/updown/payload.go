// Package updown implements the integration for updown.io (rest-api.md, section 6.5).
package updown

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The events, a list of objects with event, check and downtime or ssl.
	Payload any `body:"json"`
}

// Receive reports outages, their ends, and problems with certificates.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("updown", "Updown", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		said, unknown := report(hook.NewDocument(in.Payload))
		if len(said) == 0 && unknown != "" {
			return endpoint.Nothing{}, h.Unexpected(unknown)
		}
		return h.SendReport(ctx, who, in.Target, said)
	})
}
