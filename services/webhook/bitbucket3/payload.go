// Package bitbucket3 implements the integration for webhooks of Bitbucket Server and Bitbucket Data Center (rest-api.md,
// sections 6.3 and 6.4).
package bitbucket3

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
	// What the payload reports, such as repo:refs_changed.
	Event string `header:"X-Event-Key"`
	// What Bitbucket sends.
	Payload any `body:"json"`
}

// Receive reports pushes, pull requests, comments and changes of repositories of Bitbucket Data Center.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("bitbucket3", "Bitbucket3", messages)
	h.DecodeTwice = true
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, in.Event, in.Payload, reports(in.Branches))
	})
}
