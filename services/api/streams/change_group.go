package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type changeGroupParams struct {
	// ID of the group.
	GroupID int64 `path:"group_id"`
	// Whether the streams are added to the group or removed from it: add or remove.
	Op string `param:"op"`
	// Names of the streams, at most 100, that the caller has access to.
	Streams []string `param:"stream_names"`
}

// ChangeGroup adds streams to a group of default streams, or removes them from it.
func ChangeGroup(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /default_stream_groups/{group_id}/streams", Who: permit.Admin,
		Faults: endpoint.Faults{
			stream.ErrNoGroup, stream.ErrInvalidName, stream.ErrIsDefault, stream.ErrInGroup, stream.ErrNotInGroup, stream.ErrGroupOp,
			stream.ErrManyInGroup,
		},
	}, func(ctx context.Context, who actor.Actor, in changeGroupParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.ChangeGroup(ctx, who, in.GroupID, in.Op, in.Streams)
	})
}
