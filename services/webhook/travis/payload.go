// Package travis implements the integration for notifications of Travis CI (rest-api.md, section 6.5).
package travis

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// Whether builds of pull requests aren't reported.
	IgnorePullRequests bool `param:"ignore_pull_requests" default:"true"`
	// What Travis CI sends, in a form or as JSON.
	Payload any `body:"json" form:"payload"`
}

// Receive reports the states of builds.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("travis", "Travis", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		build := hook.NewDocument(in.Payload)
		if state(build) == "" {
			return endpoint.Nothing{}, h.Unexpected(build.Text("type"))
		}
		if in.IgnorePullRequests && (build.Text("type") == "pull_request" || build.True("pull_request")) {
			return endpoint.Nothing{}, nil
		}
		return h.Send(ctx, who, in.Target, report(build))
	})
}
