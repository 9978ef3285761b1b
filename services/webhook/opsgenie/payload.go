// Package opsgenie implements the integration for Opsgenie and Jira Service Management, whose alerts send the same
// (rest-api.md, section 6.5).
package opsgenie

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// Whether the account is in the EU, so that alerts have their pages at app.eu.opsgenie.com.
	InEU bool `param:"eu_region" default:"false"`
	// What happened to an alert: an object with action, integrationName and alert.
	Payload any `body:"json"`
}

// Receive reports what happens to alerts.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("opsgenie", "OpsGenie", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		host := "app.opsgenie.com"
		if in.InEU {
			host = "app.eu.opsgenie.com"
		}
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload), host))
	})
}
