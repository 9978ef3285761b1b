package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type findParams struct {
	// Name of the stream, in any letter case.
	Stream string `param:"stream"`
}

type findReply struct {
	// StreamID is the stream's ID.
	StreamID id.Stream `json:"stream_id"`
}

// Find returns the ID of the stream with a name.
func Find(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /get_stream_id",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{stream.ErrInvalidName},
	}, func(ctx context.Context, who actor.Actor, in findParams) (findReply, error) {
		found, err := streams.Find(ctx, who, in.Stream)
		return findReply{found}, err
	})
}
