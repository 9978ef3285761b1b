package domains

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/policy"
)

type removeParams struct {
	// Name of the domain, in any letter case.
	Domain string `path:"domain"`
}

// Remove removes a domain, whose addresses may no longer join. After the last one is removed, addresses of all domains
// may join.
func Remove(policies *policy.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/domains/{domain}", Who: permit.Admin, ChangesCallers: true,
		Faults: endpoint.Faults{org.ErrNoDomain, permit.ErrNotAdmin},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, policies.RemoveDomain(ctx, who, in.Domain)
	})
}
