package branding

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// Logo redirects to a logo of the organization.
func Logo(brand *branding.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/logo", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, in logoParams) (endpoint.Redirect, error) {
		url, err := brand.URL(ctx, who.Org(), in.kind())
		return endpoint.Redirect{Path: url}, err
	})
}
