// Package newrelic implements the integration for New Relic: for its workflows, for the incidents of classic alerts,
// and for the forms of legacy alerts and deployments (rest-api.md, section 6.5).
package newrelic

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What New Relic sends: an object about an issue or an incident, or a form with alert or deployment, which is JSON.
	Payload any `body:"json" form:"*"`
}

// Receive reports alerts, issues, incidents and deployments.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("newrelic", "NewRelic", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
