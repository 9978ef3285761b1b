package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type editGroupParams struct {
	// ID of the group.
	GroupID int64 `path:"group_id"`
	// New name, of at most 60 characters.
	Name *endpoint.JSONString `param:"new_group_name" nul:"passed"`
	// New description.
	Description *endpoint.JSONString `param:"new_description" max:"1024 characters"`
}

// EditGroup changes the name and the description of a group of default streams.
func EditGroup(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /default_stream_groups/{group_id}", Who: permit.Admin,
		Faults: endpoint.Faults{
			stream.ErrNoGroupChange, stream.ErrNoGroup, stream.ErrGroupName, stream.ErrLongGroupName, stream.ErrNullInGroupName,
			stream.ErrGroupNamed, stream.ErrGroupExists,
		},
	}, func(ctx context.Context, who actor.Actor, in editGroupParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.EditGroup(ctx, who, in.GroupID, (*string)(in.Name), (*string)(in.Description))
	})
}
