package domains

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/policy"
)

type changeParams struct {
	// Name of the domain, in any letter case.
	Domain string `path:"domain"`
	// Whether addresses of its subdomains may join, too.
	AllowSubdomains bool `param:"allow_subdomains"`
}

// Change changes whether addresses of a domain's subdomains may join.
func Change(policies *policy.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /realm/domains/{domain}", Who: permit.Admin,
		Faults: endpoint.Faults{org.ErrNoDomain, permit.ErrNotAdmin},
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, policies.ChangeDomain(ctx, who, org.Domain{Name: in.Domain, AllowSubdomains: in.AllowSubdomains})
	})
}
