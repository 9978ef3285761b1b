package exports

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/realmexport"
)

type listParams struct{}

type listReply struct {
	// The archives that administrators have requested, the oldest first.
	Exports []event.Export `json:"exports"`
}

// List lists the archives of the organization. Administrators who are signed in can download them for a week.
func List(exports *realmexport.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /export/realm", Who: permit.Admin,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		all, err := exports.List(ctx, who)
		return listReply{all}, err
	})
}
