package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

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

// CompatibilityRoute is the route of [CompatibilityPage], at the host's root.
const CompatibilityRoute = "/compatibility"

// CompatibilityPage serves [Compatibility] at the host's root, where clients ask before they know the interface's prefix.
func CompatibilityPage(now func() time.Time, logger *slog.Logger) http.Handler {
	check := Compatibility()
	router := endpoint.NewRouter(endpoint.Config{Logger: logger, Now: now}, []endpoint.Endpoint{check})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below := r.Clone(r.Context())
		below.URL.Path, below.URL.RawPath = check.Path(), ""
		router.ServeHTTP(w, below)
	})
}
