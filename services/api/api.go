// Package api is the service that clients change and read things with: everything of the HTTP
// interface but event queues and incoming webhooks.
//
// Each endpoint is declared in one file, in the folder of its resource; [Endpoints] is the list.
package api

import (
	"log/slog"
	"maps"
	"net/http"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/docs"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/api/users"
)

// Pages are what is served at the host rather than below the interface's prefix, by their patterns
// in the form of http.ServeMux.
func Pages(people *user.Service, auth endpoint.Authenticator, logger *slog.Logger) map[string]http.Handler {
	pages, avatar := docs.Pages(), users.Avatar(people, auth, logger)
	maps.Copy(pages, map[string]http.Handler{
		server.IconRoute:        server.Icon(),
		users.AvatarRoute:       avatar,
		users.MediumAvatarRoute: avatar,
	})
	return pages
}
