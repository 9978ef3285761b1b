package branding

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

// RemoveIcon removes the organization's icon. A generated one is shown instead.
func RemoveIcon(brand *branding.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/icon", Who: permit.Admin,
	}, func(ctx context.Context, who actor.Actor, _ iconParams) (iconReply, error) {
		url, err := brand.Remove(ctx, who.Org(), org.Icon)
		return iconReply{url}, err
	})
}
