package server

import (
	"encoding/json"
	"net/http"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/web"
)

// manifestRate limits manifests with the name of an organization, per network and process.
func manifestRate() limit.Rule { return limit.Rule{Calls: 60, Window: time.Minute} }

// Manifest serves the web client's manifest with the name of the organization at the request's host, which becomes the
// name of the installed client. Without an organization, or above the rate limit, the manifest has the default name.
func Manifest(orgs *org.Service, now func() time.Time) http.Handler {
	calls := limit.NewLocalByAddress(manifestRate())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		manifest := web.Manifest()
		if calls.Allow(endpoint.Network(r), now()).Allowed {
			if o, err := orgs.ByHost(r.Context(), r.Host); err == nil {
				manifest = named(manifest, o.Name)
			}
		}
		h := w.Header()
		h.Set("Content-Type", "application/manifest+json")
		h.Set("Cache-Control", "public, no-cache")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(manifest) // the reader may have disconnected
	})
}

// named returns a manifest with another name, or the same manifest if it is invalid.
func named(manifest []byte, name string) []byte {
	members := map[string]any{}
	if json.Unmarshal(manifest, &members) != nil {
		return manifest
	}
	members["name"], members["short_name"] = name, name
	changed, err := json.Marshal(members)
	if err != nil {
		return manifest
	}
	return changed
}
