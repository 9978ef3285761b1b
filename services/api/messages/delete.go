package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/revision"
)

type messageParams struct {
	// ID of the message.
	MessageID id.Message `path:"message_id"`
}

// Delete deletes a message forever. Administrators may delete every message that they see, others their own messages,
// if and for as long as the organization allows it.
func Delete(revisions *revision.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "DELETE /messages/{message_id}",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{message.ErrInvalid, permit.ErrDelete, permit.ErrDeleteLate},
	}, func(ctx context.Context, who actor.Actor, in messageParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, revisions.Delete(ctx, who, in.MessageID)
	})
}
