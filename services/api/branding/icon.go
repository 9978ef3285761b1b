package branding

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

// Icon redirects to the organization's icon.
func Icon(brand *branding.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/icon", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ iconParams) (endpoint.Redirect, error) {
		url, err := brand.URL(ctx, who.Org(), org.Icon)
		return endpoint.Redirect{Path: url}, err
	})
}
