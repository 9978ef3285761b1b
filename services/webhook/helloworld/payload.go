// Package helloworld implements the integration that shows how to write one (rest-api.md, section 6.2).
package helloworld

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

// payload is the body of a request.
type payload struct {
	// Title of the featured page.
	FeaturedTitle string `json:"featured_title"`
	// Address of the featured page.
	FeaturedURL string `json:"featured_url"`
}

type receiveParams struct {
	hook.Target
	// The report.
	Payload payload `body:"json"`
}

// Receive sends a greeting with a featured page.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("helloworld", "HelloWorld", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Send(ctx, who, in.Target, greet(in.Payload))
	})
}
