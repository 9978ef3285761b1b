// Package uptimerobot implements the integration for UptimeRobot.
package uptimerobot

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What happened to a monitor, as JSON of the template or in a form: monitor_friendly_name, monitor_url, alert_type
	// (1: down, 2: up, 3: its certificate expires), alert_details and alert_friendly_duration, or the same as
	// UptimeRobot names its variables, such as monitorFriendlyName.
	Payload any `body:"json" form:"*"`
}

// Receive reports that a monitor is down or up again, and certificates that expire.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("uptimerobot", "UptimeRobot", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
