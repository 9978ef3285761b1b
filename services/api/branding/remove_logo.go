package branding

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// RemoveLogo removes a logo of the organization. Its icon is shown instead.
func RemoveLogo(brand *branding.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/logo", Who: permit.Admin,
	}, func(ctx context.Context, who actor.Actor, in logoParams) (endpoint.Nothing, error) {
		_, err := brand.Remove(ctx, who.Org(), in.kind())
		return endpoint.Nothing{}, err
	})
}
