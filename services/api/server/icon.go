package server

import (
	"net/http"

	"chatserver.dev/services/api/picture"
)

// IconRoute is where [Icon] belongs, at the host rather than below the interface's prefix.
const IconRoute = "GET /icon/{org_id}"

// Icon serves the pictures that are generated for organizations, to everybody.
func Icon() http.Handler { return (&picture.Drawer{}).Handler("org", "org_id") }
