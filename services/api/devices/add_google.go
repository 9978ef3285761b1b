package devices

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

// AddGoogle keeps that the caller has an app on an Android device. Nothing is sent to it,
// as push_notifications_enabled says: only who publishes an app can.
func AddGoogle(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST " + googleRoute, Who: permit.Human, Faults: endpoint.Faults{push.ErrTokenLength},
	}, addToken(pushes, push.GCM))
}
