package devices

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

// AddApple keeps that the caller has an app on a device of Apple's. Nothing is sent to it,
// as push_notifications_enabled says: only who publishes an app can.
func AddApple(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST " + appleRoute, Who: permit.Human, Faults: endpoint.Faults{push.ErrTokenLength, push.ErrAPNS},
	}, addToken(pushes, push.APNS))
}
