package groups

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type removeParams struct {
	// ID of the group.
	GroupID id.Group `path:"user_group_id"`
}

// Remove removes a user group. Its members and administrators may do so. Messages that mention it stay unchanged.
func Remove(groups *group.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /user_groups/{user_group_id}", Who: permit.Member,
		Faults: endpoint.Faults{permit.ErrNotAdmin, group.ErrInvalid, group.ErrNotMember},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, groups.Remove(ctx, who, in.GroupID)
	})
}
