package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type deactivateParams struct {
	// ID of the stream.
	StreamID id.Stream `path:"stream_id"`
}

// Deactivate ends a stream and all subscriptions to it. Accounts that received its messages can still read them.
func Deactivate(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /streams/{stream_id}",
		Who:   permit.Admin, ChangesCallers: true,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in deactivateParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.Deactivate(ctx, who, in.StreamID)
	})
}
