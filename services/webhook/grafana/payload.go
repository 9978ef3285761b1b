// Package grafana implements the integration for alerts of Grafana: of its alerting since version 8, and of the legacy
// alerting before it (rest-api.md, section 6.5).
package grafana

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The notification of a contact point: an object with title and alerts; in legacy alerting, with title, ruleName,
	// ruleUrl and evalMatches.
	Payload any `body:"json"`
}

// Receive reports the alerts of a notification in one message. Its topic is the notification's title.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("grafana", "Grafana", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
