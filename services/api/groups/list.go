package groups

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/permit"
)

type listReply struct {
	// All groups of the organization by id.
	Groups []event.Group `json:"user_groups"`
}

// listMemory is the memory of the largest list, with 50,000 members and 500 descriptions, in bytes.
const listMemory = 2 << 20

// List returns all user groups of the organization.
func List(groups *group.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /user_groups", Who: permit.Member, Memory: listMemory,
	}, func(ctx context.Context, who actor.Actor, _ struct{}) (listReply, error) {
		all, err := groups.List(ctx, who)
		return listReply{all}, err
	})
}
