// Package github implements the integration for webhooks of GitHub repositories and organizations (rest-api.md, section
// 6.5).
package github

import (
	"cmp"
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// Names of the branches whose pushes are reported. Default: all.
	Branches *string `param:"branches"`
	// What the payload reports, such as push.
	Event string `header:"X-GitHub-Event"`
	// What GitHub sends, as JSON or in a form.
	Payload any `body:"json" form:"payload"`
}

// Receive reports pushes, pull requests, issues, comments, releases and further events of GitHub.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("github", "GitHub", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		known, payload := reports(in.Branches), hook.NewDocument(in.Payload)
		_, is := known[in.Event]
		switch {
		case !is:
			return endpoint.Nothing{}, h.Unexpected(in.Event + ":" + cmp.Or(payload.Text("action"), "???"))
		default:
			return h.Dispatch(ctx, who, in.Target, in.Event, in.Payload, known)
		}
	})
}
