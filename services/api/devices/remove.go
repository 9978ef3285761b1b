package devices

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

type removeParams struct {
	// ID of the browser.
	DeviceID id.Device `path:"device_id"`
}

// Remove stops notifying one of the caller's browsers.
func Remove(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /users/me/push_devices/{device_id}", Who: permit.Human, Faults: endpoint.Faults{push.ErrNoDevice},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, pushes.Remove(ctx, who, in.DeviceID)
	})
}
