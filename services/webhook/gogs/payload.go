// Package gogs implements the integration for webhooks of Gogs repositories (rest-api.md, sections 6.3 and 6.4). Its
// reports are also those of Gitea, which began as a copy of Gogs.
package gogs

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// Names of the branches whose pushes are reported, separated by commas. Default: all.
	Branches *string `param:"branches"`
	// What the payload reports, such as push.
	Event string `header:"X-Gogs-Event"`
	// What Gogs sends, as JSON or in a form.
	Payload any `body:"json" form:"payload"`
}

// Receive reports pushes, branches, tags, pull requests, issues, comments and releases of Gogs.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("gogs", "Gogs", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, in.Event, in.Payload, Reports(in.Branches))
	})
}
