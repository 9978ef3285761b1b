// Package trello implements the integration for the boards of Trello.
package trello

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/webhook/hook"
)

type receiveParams struct {
	hook.Target
	// What Trello sends: action says what happened, and to what.
	Payload any `body:"json"`
}

// Receive reports what happens to the cards and lists of a board.
func Receive(messages hook.Messages) endpoint.Endpoint {
	h := hook.New("trello", "Trello", messages)
	return endpoint.Hook(h.About(), func(ctx context.Context, who actor.Actor, in receiveParams) (endpoint.Nothing, error) {
		return h.Dispatch(ctx, who, in.Target, hook.NewDocument(in.Payload).Text("action.type"), in.Payload, reports())
	})
}
