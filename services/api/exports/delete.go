package exports

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/realmexport"
)

type deleteParams struct {
	// ID of the archive.
	ID int64 `path:"export_id"`
}

// Delete deletes an archive, or cancels its creation.
func Delete(exports *realmexport.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /export/realm/{export_id}", Who: permit.Admin, Faults: endpoint.Faults{realmexport.ErrInvalid, realmexport.ErrDeleted},
	}, func(ctx context.Context, who actor.Actor, in deleteParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, exports.Delete(ctx, who, in.ID)
	})
}
