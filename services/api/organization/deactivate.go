package organization

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/policy"
)

type deactivateParams struct{}

// Deactivate deactivates the organization: within seconds, requests of its accounts are refused. The server's operator
// can reactivate it.
func Deactivate(policies *policy.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /realm/deactivate", Who: permit.Owner, ChangesCallers: true, Faults: endpoint.Faults{permit.ErrNotOwner},
	}, func(ctx context.Context, who actor.Actor, _ deactivateParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, policies.Deactivate(ctx, who)
	})
}
