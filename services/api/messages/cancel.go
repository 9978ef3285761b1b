package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
)

type cancelParams struct {
	// ID of the message in the list of scheduled messages.
	ScheduledID int64 `path:"scheduled_message_id"`
}

// Cancel cancels one of the caller's scheduled messages or reminders.
func Cancel(messages *message.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /scheduled_messages/{scheduled_message_id}", Who: permit.Anyone, Faults: endpoint.Faults{message.ErrNoScheduled},
	}, func(ctx context.Context, who actor.Actor, in cancelParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, messages.Cancel(ctx, who, in.ScheduledID)
	})
}
