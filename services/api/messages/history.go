package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/revision"
)

type historyReply struct {
	// MessageHistory is the message as it was sent and after each change, the oldest first.
	MessageHistory []revision.Snapshot `json:"message_history"`
}

// History returns the history of a message's changes.
func History(revisions *revision.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /messages/{message_id}/history",
		Who:    permit.Anyone,
		Memory: 16 << 20,
		Faults: endpoint.Faults{revision.ErrHistoryOff, message.ErrInvalid},
	}, func(ctx context.Context, who actor.Actor, in messageParams) (historyReply, error) {
		history, err := revisions.History(ctx, who, in.MessageID)
		return historyReply{history}, err
	})
}
