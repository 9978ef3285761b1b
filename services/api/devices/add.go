package devices

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

type addParams struct {
	// Where the browser's push service takes notifications: endpoint of its PushSubscription.
	Endpoint string `param:"endpoint" max:"1000 characters"`
	// The browser's key p256dh, in base64url.
	P256DH string `param:"p256dh" max:"100 characters"`
	// The browser's secret auth, in base64url.
	Auth string `param:"auth" max:"50 characters"`
}

type addReply struct {
	// ID of the browser.
	ID id.Device `json:"id"`
}

// Add has a browser show notifications for the caller, until the session that adds it ends. Of more than 10 browsers, the one that was added
// longest ago is removed. A browser that is added again, by whomever, replaces its keys and its account.
func Add(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/push_devices", Who: permit.Human, Faults: endpoint.Faults{push.ErrOff, push.ErrEndpoint, push.ErrKeys},
	}, func(ctx context.Context, who actor.Actor, in addParams) (addReply, error) {
		number, err := pushes.Add(ctx, who, push.Browser{Endpoint: in.Endpoint, P256DH: in.P256DH, Auth: in.Auth})
		return addReply{number}, err
	})
}
