package signin

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
)

// errNoGoogle is the interface's error for servers without signing in by Google's own library.
var errNoGoogle = fault.Plain("GOOGLE_CLIENT_ID is not configured")

type googleParams struct{}

// GoogleClientID always fails: apps sign in by the ways that GET /server_settings lists. Google can be one of them, as
// an OpenID Connect provider.
func GoogleClientID() endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "GET /fetch_google_client_id", Faults: endpoint.Faults{errNoGoogle},
	}, func(context.Context, endpoint.Request, googleParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, errNoGoogle
	})
}
