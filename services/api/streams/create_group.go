package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type createGroupParams struct {
	// Name of the group, of at most 60 characters.
	Name string `param:"group_name" nul:"passed"`
	// What the group is for.
	Description string `param:"description" max:"1024 characters"`
	// Names of the streams, at most 100, that the caller has access to.
	Streams []string `param:"stream_names"`
}

// CreateGroup creates a group of streams that new users can choose.
func CreateGroup(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /default_stream_groups/create", Who: permit.Admin,
		Faults: endpoint.Faults{
			stream.ErrInvalidName, stream.ErrIsDefault, stream.ErrGroupName, stream.ErrLongGroupName, stream.ErrNullInGroupName,
			stream.ErrGroupExists, stream.ErrManyGroups, stream.ErrManyInGroup,
		},
	}, func(ctx context.Context, who actor.Actor, in createGroupParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.CreateGroup(ctx, who, in.Name, in.Description, in.Streams)
	})
}
