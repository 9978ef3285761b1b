package domains

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/policy"
)

type addParams struct {
	// Name of the domain, in any letter case.
	Domain endpoint.JSONString `param:"domain"`
	// Whether addresses of its subdomains may join, too.
	AllowSubdomains bool `param:"allow_subdomains"`
}

type addReply struct {
	// The domain's id and name.
	NewDomain [2]any `json:"new_domain"`
}

// Add allows addresses of a domain to join.
func Add(policies *policy.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /realm/domains", Who: permit.Admin,
		Faults: endpoint.Faults{org.ErrDomain, org.ErrDomainThere, org.ErrManyDomains, permit.ErrNotAdmin},
	}, func(ctx context.Context, who actor.Actor, in addParams) (addReply, error) {
		added, number, err := policies.AddDomain(ctx, who, org.Domain{Name: string(in.Domain), AllowSubdomains: in.AllowSubdomains})
		return addReply{[2]any{number, added.Name}}, err
	})
}
