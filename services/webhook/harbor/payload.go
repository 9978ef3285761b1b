// Package harbor implements the integration for webhooks of Harbor registries, in their own format and as CloudEvents
// (rest-api.md, section 6.5).
package harbor

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What Harbor sends. The member type says what it reports.
	Payload any `body:"json"`
}

// Receive reports images that are pushed, the results of scans, quotas and replications.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("harbor", "Harbor", messages)
	h.DecodeTwice = true
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, hook.NewDocument(in.Payload).Text("type"), in.Payload, reports())
	})
}
