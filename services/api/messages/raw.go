package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
)

type rawParams struct {
	// The message.
	MessageID id.Message `path:"message_id"`
}

type rawReply struct {
	// RawContent is the text as it was written, in Markdown.
	RawContent string `json:"raw_content"`
}

// Raw returns the text of a message as it was written.
func Raw(messages *feed.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /messages/{message_id}",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{message.ErrInvalid},
	}, func(ctx context.Context, who actor.Actor, in rawParams) (rawReply, error) {
		text, err := messages.Raw(ctx, who, in.MessageID)
		return rawReply{text}, err
	})
}
