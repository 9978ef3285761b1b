// Package stripe implements the integration for events of Stripe.
package stripe

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The event: type says what happened, and data.object to what.
	Payload any `body:"json"`
}

// Receive reports payments, invoices, subscriptions, disputes and all other things that Stripe has events about.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("stripe", "Stripe", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.SendReport(ctx, who, in.Target, report(hook.NewDocument(in.Payload)))
	})
}
