package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
)

type renderParams struct {
	// Text in Markdown.
	Content string `param:"content"`
}

type renderReply struct {
	// Rendered is the text as HTML.
	Rendered string `json:"rendered"`
}

// Render renders a text as a message of the caller would be rendered.
func Render(messages *message.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "POST /messages/render",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{message.ErrRendering},
	}, func(ctx context.Context, who actor.Actor, in renderParams) (renderReply, error) {
		rendered, err := messages.Preview(ctx, who, in.Content)
		return renderReply{rendered}, err
	})
}
