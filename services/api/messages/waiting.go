package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
)

type waitingParams struct {
	// ID of a scheduled message: only messages that were scheduled after it are listed.
	After int64 `param:"after" default:"0"`
}

type waitingReply struct {
	// The messages in the order in which they were scheduled; 100 at most.
	Waiting []message.Scheduled `json:"scheduled_messages"`
}

// Waiting lists the caller's scheduled messages and reminders.
func Waiting(messages *message.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /scheduled_messages", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, in waitingParams) (waitingReply, error) {
		waiting, err := messages.Scheduled(ctx, who, in.After, endpoint.Reserve)
		return waitingReply{waiting}, err
	})
}
