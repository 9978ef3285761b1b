// Package heroku implements the integration for Heroku: for app webhooks, and for the forms of the older deploy hooks
// (rest-api.md, section 6.5).
package heroku

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What happened: an object with resource, action and data, or a form with app, user, url, head and git_log.
	Payload any `body:"json" form:"*"`
}

// Receive reports deployments, builds and what else happens to an app.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("heroku", "Heroku", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		said, valid := report(hook.NewDocument(in.Payload))
		if !valid {
			return endpoint.Nothing{}, h.Invalid(ctx, who)
		}
		return h.Send(ctx, who, in.Target, said...)
	})
}
