package devices

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

// RemoveApple removes the token of an app on one of the caller's Apple devices.
func RemoveApple(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE " + appleRoute, Who: permit.Human, Faults: endpoint.Faults{push.ErrTokenLength, push.ErrAPNS, push.ErrNoToken},
	}, removeToken(pushes, push.APNS))
}
