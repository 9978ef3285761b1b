// Package jira implements the integration for webhooks of Jira, in the cloud and on own servers (rest-api.md, section 6.5).
package jira

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What Jira sends. The member webhookEvent says what it reports.
	Payload any `body:"json"`
}

// Receive reports issues, their changes and the comments on them.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("jira", "Jira", messages)
	h.DecodeTwice = true
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, kindOf(hook.NewDocument(in.Payload)), in.Payload, reports())
	})
}
