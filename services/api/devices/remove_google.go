package devices

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/push"
)

// RemoveGoogle removes the token of an app on one of the caller's Android devices.
func RemoveGoogle(pushes *push.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE " + googleRoute, Who: permit.Human, Faults: endpoint.Faults{push.ErrTokenLength, push.ErrNoToken},
	}, removeToken(pushes, push.GCM))
}
