package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type markStreamParams struct {
	// Stream whose messages are marked as read.
	StreamID id.Stream `param:"stream_id"`
}

// MarkStream marks the caller's messages in a stream as read.
func MarkStream(marks *inbox.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "POST /mark_stream_as_read",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in markStreamParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, marks.MarkStream(ctx, who, in.StreamID)
	})
}
