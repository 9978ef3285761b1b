// Package zabbix implements the integration for Zabbix, whose media type makes the payload (rest-api.md, section
// 6.5).
package zabbix

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The problem or its end: an object with hostname, severity, status, item, trigger and link.
	Payload any `body:"json"`
}

// Receive reports problems of hosts, and their ends.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("zabbix", "Zabbix", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
