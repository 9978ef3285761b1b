package devices

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

// AddGoogle stores the token of an app on one of the caller's Android devices. Nothing is sent to it, as
// push_notifications_enabled reports: only the publisher of an app can send to it.
func AddGoogle(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST " + googleRoute, Who: permit.Human, Faults: endpoint.Faults{push.ErrTokenLength},
	}, addToken(pushes, push.GCM))
}
