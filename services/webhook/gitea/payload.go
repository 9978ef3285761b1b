// Package gitea implements the integration for webhooks of Gitea and Forgejo repositories (rest-api.md, sections 6.3 and
// 6.4).
package gitea

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
	Event string `header:"X-Gitea-Event"`
	// What Gitea sends, as JSON or in a form.
	Payload any `body:"json" form:"payload"`
}

// Receive reports pushes, branches, tags, pull requests, reviews, issues, comments, releases and further events of Gitea.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("gitea", "Gitea", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, in.Event, in.Payload, reports(in.Branches))
	})
}
