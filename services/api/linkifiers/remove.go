package linkifiers

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/permit"
)

type removeParams struct {
	// ID of the linkifier.
	FilterID int64 `path:"filter_id"`
}

// Remove removes a linkifier. Existing messages keep their links.
func Remove(linkifiers *linkifier.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /realm/filters/{filter_id}", Who: permit.Admin, ChangesCallers: true,
		Faults: endpoint.Faults{linkifier.ErrNone},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, linkifiers.Remove(ctx, who, in.FilterID)
	})
}
