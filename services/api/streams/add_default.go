package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type defaultParams struct {
	// ID of the stream.
	StreamID id.Stream `param:"stream_id"`
}

// AddDefault adds a stream to those that new accounts are subscribed to.
func AddDefault(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "POST /default_streams",
		Who:    permit.Admin,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in defaultParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.AddDefault(ctx, who, in.StreamID)
	})
}
