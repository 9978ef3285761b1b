package server

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
)

// Faults of the check (rest-api.md, section 5.2).
var (
	errNoUserAgent  = fault.Plain("User-Agent header missing from request")
	errIncompatible = fault.Plain("Client is too old")
)

type compatibilityParams struct{}

// Compatibility succeeds if the client, by its header User-Agent, is compatible with the server. It is the same for all organizations.
func Compatibility() endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "GET /compatibility", Faults: endpoint.Faults{errNoUserAgent, errIncompatible},
	}, func(_ context.Context, from endpoint.Request, _ compatibilityParams) (endpoint.Nothing, error) {
		switch productOf(from.UserAgent) {
		case "":
			return endpoint.Nothing{}, errNoUserAgent
		case blockedClient:
			return endpoint.Nothing{}, errIncompatible
		default:
			return endpoint.Nothing{}, nil
		}
	})
}
