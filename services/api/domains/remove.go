package domains

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

type removeParams struct {
	// Name of the domain. Letter case doesn't count.
	Domain string `path:"domain"`
}

// Remove no longer lets addresses of a domain join. Without the last domain, addresses of all may join.
func Remove(orgs *org.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/domains/{domain}", Who: permit.Admin,
		Faults: endpoint.Faults{org.ErrNoDomain},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, orgs.RemoveDomain(ctx, who, in.Domain)
	})
}
