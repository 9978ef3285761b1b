package domains

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

type listParams struct{}

type listReply struct {
	// Domains of the organization, by name.
	Domains []org.Domain `json:"domains"`
}

// List returns the domains whose addresses may join, if the organization restricts them.
func List(orgs *org.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/domains", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		all, err := orgs.Domains(ctx, who)
		return listReply{all}, err
	})
}
