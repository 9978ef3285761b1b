package devices

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

type listParams struct{}

type listReply struct {
	// The browsers, the newest first; 10 at most.
	Devices []push.Device `json:"push_devices"`
	// The server's public key, for a browser's subscription (applicationServerKey), in base64url; null if the server
	// notifies no browsers.
	Key *string `json:"vapid_public_key"`
}

// List lists the caller's browsers that show notifications, with the key that a browser needs to subscribe to them.
func List(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users/me/push_devices", Who: permit.Human,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		devices, err := pushes.List(ctx, who)
		reply := listReply{Devices: devices}
		if pushes.Keys.Public != "" {
			reply.Key = &pushes.Keys.Public
		}
		return reply, err
	})
}
