package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type deleteGroupParams struct {
	// ID of the group.
	GroupID int64 `path:"group_id"`
}

// DeleteGroup deletes a group of default streams; the streams stay.
func DeleteGroup(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /default_stream_groups/{group_id}", Who: permit.Admin,
		Faults: endpoint.Faults{stream.ErrNoGroup},
	}, func(ctx context.Context, who actor.Actor, in deleteGroupParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.DeleteGroup(ctx, who, in.GroupID)
	})
}
