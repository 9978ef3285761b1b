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

// manifestRate is how often a network gets a manifest with the organization's name from a process.
func manifestRate() limit.Rule { return limit.Rule{Calls: 60, Window: time.Minute} }

// Manifest serves the web client's manifest with the name of the organization at the request's host, which the client has where it is
// installed. Without an organization, and for who asks too often, it has the name that all of them have.
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
		_, _ = w.Write(manifest) // to a reader who may have gone
	})
}

// named returns a manifest with another name, or as it is if it can't be read.
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
