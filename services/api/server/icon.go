package server

import (
	"net/http"

	"chatserver.dev/services/api/picture"
)

// IconRoute is the route of [Icon], at the host's root rather than below the interface's prefix.
const IconRoute = "GET /icon/{org_id}"

// Icon serves the generated pictures of organizations, without authentication.
func Icon() http.Handler { return (&picture.Drawer{}).Handler("org", "org_id") }
