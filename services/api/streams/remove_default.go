package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

// RemoveDefault removes a stream from those that new accounts are subscribed to.
func RemoveDefault(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "DELETE /default_streams",
		Who:    permit.Admin,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in defaultParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.RemoveDefault(ctx, who, in.StreamID)
	})
}
