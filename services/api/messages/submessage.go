package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/submessage"
)

type submessageParams struct {
	// ID of the message.
	MessageID id.Message `param:"message_id"`
	// Kind of the submessage: widget for a submessage of a widget.
	MsgType string `param:"msg_type" max:"100 characters"`
	// JSON that only clients interpret; at most 10000 bytes.
	Content string `param:"content"`
}

// AddSubmessage adds a submessage to a message that the caller may read, such as a vote in a poll. A message can have
// 10,000 submessages, of 1 MiB together.
func AddSubmessage(submessages *submessage.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /submessage", Who: permit.Anyone,
		Faults: endpoint.Faults{message.ErrInvalid, submessage.ErrJSON, submessage.ErrLong, submessage.ErrFull},
	}, func(ctx context.Context, who actor.Actor, in submessageParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, submessages.Add(ctx, who, submessage.Draft{Message: in.MessageID, Type: in.MsgType, Content: in.Content})
	})
}
