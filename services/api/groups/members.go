package groups

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type membersParams struct {
	// ID of the group.
	GroupID id.Group `path:"user_group_id"`
	// User IDs of new members; a group has at most 1000.
	Add []id.User `param:"add" default:"[]"`
	// User IDs of members to remove, after the new ones were added.
	Delete []id.User `param:"delete" default:"[]"`
}

// Members adds and removes members of a user group. Its members and administrators may do so.
func Members(groups *group.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /user_groups/{user_group_id}/members", Who: permit.Member,
		Faults: endpoint.Faults{
			group.ErrNoMembers, permit.ErrNotAdmin, group.ErrUser, group.ErrInvalid, group.ErrNotMember, group.ErrThere, group.ErrNotThere,
			group.ErrManyMembers, group.ErrManyMemberships,
		},
	}, func(ctx context.Context, who actor.Actor, in membersParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, groups.ChangeMembers(ctx, who, in.GroupID, in.Add, in.Delete)
	})
}
