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
	// Address of the browser's push service for notifications: endpoint of its PushSubscription.
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

// Add registers a browser for notifications of the caller, until the session that adds it ends. An account can have 10
// browsers: another one replaces the oldest. If the browser is registered already, by any account, its keys and its
// account are replaced.
func Add(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/push_devices", Who: permit.Human, Faults: endpoint.Faults{push.ErrOff, push.ErrEndpoint, push.ErrKeys},
	}, func(ctx context.Context, who actor.Actor, in addParams) (addReply, error) {
		number, err := pushes.Add(ctx, who, push.Browser{Endpoint: in.Endpoint, P256DH: in.P256DH, Auth: in.Auth})
		return addReply{number}, err
	})
}
