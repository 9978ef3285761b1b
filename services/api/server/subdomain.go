package server

import (
	"context"
	"errors"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/org"
)

type subdomainParams struct {
	// Subdomain that a new organization could have.
	Subdomain string `path:"subdomain"`
}

type subdomainReply struct {
	// "available", or why it isn't.
	Msg string `json:"msg"`
}

// Subdomain returns whether a new organization could have a subdomain.
func Subdomain(orgs *org.Service) endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "GET /realm/subdomain/{subdomain}",
	}, func(ctx context.Context, _ endpoint.Request, in subdomainParams) (subdomainReply, error) {
		err := orgs.Available(ctx, in.Subdomain)
		if wrong := (*fault.Fault)(nil); errors.As(err, &wrong) {
			return subdomainReply{wrong.Msg}, nil
		}
		return subdomainReply{"available"}, err
	})
}
