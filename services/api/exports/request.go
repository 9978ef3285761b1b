package exports

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/realmexport"
)

type requestParams struct{}

// Request requests an archive of the organization's public data, which is created in the background. At most five can
// be requested in a week.
func Request(exports *realmexport.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /export/realm", Who: permit.Admin, Faults: endpoint.Faults{realmexport.ErrLimit, realmexport.ErrLarge, file.ErrNone},
	}, func(ctx context.Context, who actor.Actor, _ requestParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, exports.Request(ctx, who)
	})
}
