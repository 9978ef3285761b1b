// Package api is the service that serves the HTTP interface except for event queues and incoming webhooks.
//
// Each endpoint is declared in one file, in the folder of its resource; [Endpoints] is the list.
package api

import (
	"log/slog"
	"maps"
	"net/http"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/api/accountpages"
	"chatserver.dev/services/api/branding"
	"chatserver.dev/services/api/customemoji"
	"chatserver.dev/services/api/docs"
	"chatserver.dev/services/api/exports"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/api/uploads"
	"chatserver.dev/services/api/users"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/web"
)

// Pages returns the handlers at the host's root rather than below the interface's prefix, by their patterns for
// http.ServeMux.
func Pages(d domain.Domain, client web.Config, auth endpoint.Authenticator, now func() time.Time, logger *slog.Logger) map[string]http.Handler {
	pages, avatar, files := docs.Pages(), users.Avatar(d.Users, auth, logger), uploads.NewServer(d.Attachments, logger)
	maps.Copy(pages, accountpages.Pages(accountpages.Deps{
		Orgs: d.Orgs, Logins: d.Logins, Accounts: d.Accounts, Invites: d.Invites, NewOrgs: d.NewOrgs, Missed: d.Missed, Client: client.Enabled, Now: now, Logger: logger,
	}))
	maps.Copy(pages, web.Pages(client))
	if client.Enabled {
		pages[web.ManifestRoute] = server.Manifest(d.Orgs, now)
	}
	maps.Copy(pages, map[string]http.Handler{
		server.CompatibilityRoute: server.CompatibilityPage(now, logger),

		server.IconRoute:        server.Icon(),
		users.AvatarRoute:       avatar,
		users.MediumAvatarRoute: avatar,
		exports.ArchiveRoute:    exports.Archive(d.Exports, auth, now, logger),
		uploads.FileRoute:       files.File(auth),
		uploads.TemporaryRoute:  files.TemporaryFile(),
		uploads.ThumbnailRoute:  files.Thumbnail(d.Images, auth),

		users.UploadedAvatarRoute: users.UploadedAvatar(d.Avatars, logger),
		branding.ImageRoute:       branding.Image(d.Branding, logger),
		customemoji.ImageRoute:    customemoji.Image(d.Emoji, logger),
	})
	return pages
}
