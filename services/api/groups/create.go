package groups

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type createParams struct {
	// Name for mentions, which are case-sensitive.
	Name string `param:"name" max:"100 characters"`
	// What the group is for; may be empty.
	Description string `param:"description" max:"1024 characters"`
	// User IDs of the members, at most 1000; bots and deactivated accounts may be among them.
	Members []id.User `param:"members" default:"[]"`
}

// Create creates a user group. The caller becomes a member only if they are in the list. An organization has at most
// 500 groups, and 50,000 members in all of them together.
func Create(groups *group.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /user_groups/create", Who: permit.Member,
		Faults: endpoint.Faults{
			permit.ErrNotAdmin, group.ErrUser, group.ErrBlank, group.ErrManyMembers, group.ErrManyGroups, group.ErrManyMemberships, group.ErrExists,
		},
	}, func(ctx context.Context, who actor.Actor, in createParams) (endpoint.Nothing, error) {
		_, err := groups.Create(ctx, who, group.Draft{Name: in.Name, Description: in.Description, Members: in.Members})
		return endpoint.Nothing{}, err
	})
}
