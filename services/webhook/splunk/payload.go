// Package splunk implements the integration for alerts of Splunk (rest-api.md, section 6.5).
package splunk

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The alert: an object with search_name, results_link and result, the first result of the search.
	Payload any `body:"json"`
}

// Receive reports that a saved search found something.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("splunk", "Splunk", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
