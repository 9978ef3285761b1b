package groups

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type changeParams struct {
	// ID of the group.
	GroupID id.Group `path:"user_group_id"`
	// New name; empty or absent: unchanged.
	Name string `param:"name" default:"" max:"100 characters"`
	// New description; absent: unchanged.
	Description *string `param:"description" max:"1024 characters"`
}

// Change changes the name or the description of a user group. Its members and administrators may do so.
func Change(groups *group.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /user_groups/{user_group_id}", Who: permit.Member,
		Faults: endpoint.Faults{group.ErrNothing, permit.ErrNotAdmin, group.ErrInvalid, group.ErrNotMember, group.ErrBlank, group.ErrExists},
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, groups.Change(ctx, who, in.GroupID, group.Change{Name: in.Name, Description: in.Description})
	})
}
