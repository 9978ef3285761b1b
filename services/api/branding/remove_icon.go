package branding

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

// RemoveIcon takes the organization's icon away, so that a drawn one is shown.
func RemoveIcon(brand *branding.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/icon", Who: permit.Admin,
	}, func(ctx context.Context, who actor.Actor, _ iconParams) (iconReply, error) {
		url, err := brand.Remove(ctx, who.Org(), org.Icon)
		return iconReply{url}, err
	})
}
