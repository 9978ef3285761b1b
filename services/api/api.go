// Package api is the service that clients change and read things with: everything of the HTTP
// interface but event queues and incoming webhooks.
//
// Each endpoint is declared in one file, in the folder of its resource; [Endpoints] is the list.
package api

import (
	"maps"
	"net/http"

	"chatserver.dev/services/api/docs"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/api/users"
)

// Pages are what is served at the host rather than below the interface's prefix, by their patterns
// in the form of http.ServeMux.
func Pages() map[string]http.Handler {
	pages := docs.Pages()
	maps.Copy(pages, map[string]http.Handler{
		server.IconRoute:  server.Icon(),
		users.AvatarRoute: users.Avatar(),

		users.MediumAvatarRoute: users.Avatar(),
	})
	return pages
}
