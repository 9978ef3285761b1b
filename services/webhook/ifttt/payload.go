// Package ifttt implements the integration for applets of IFTTT that make a web request (rest-api.md, section 6.5).
package ifttt

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// The message, composed in the applet: an object or a form with topic and content.
	Payload any `body:"json" form:"*"`
}

// Receive sends the message that an applet composes.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("ifttt", "IFTTT", messages)
	about := h.About()
	about.Faults = append(about.Faults, hook.ErrNoTopic, hook.ErrNoContent)
	return endpoint.Hook(about, func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		m, err := hook.Composed(hook.NewDocument(in.Payload), in.Target)
		if err != nil {
			return endpoint.Nothing{}, err
		}
		return h.Send(ctx, who, in.Target, m)
	})
}
