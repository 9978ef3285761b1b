// Package circleci implements the integration for notifications and webhooks of CircleCI (rest-api.md, section 6.5).
package circleci

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What CircleCI sends. The member type says what it reports. Without it, the member payload is a build.
	Payload any `body:"json"`
}

// Receive reports the results of workflows, jobs and builds.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("circleci", "CircleCI", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, kindOf(hook.NewDocument(in.Payload)), in.Payload, reports())
	})
}
