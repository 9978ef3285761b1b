package exports

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/realmexport"
)

// ArchiveRoute is the route of [Archive], at the host's root rather than below the interface's prefix.
const ArchiveRoute = "GET " + realmexport.Prefix + "{name}"

// Archive serves archives to administrators. A download ends when its caller isn't one anymore.
func Archive(exports *realmexport.Service, auth endpoint.Authenticator, now func() time.Time, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, no-store")
		began := now()
		who, err := administrator(auth, r)
		if err != nil {
			endpoint.Fail(w, r, logger, "serve an archive", err)
			return
		}
		number, err := strconv.ParseInt(strings.TrimSuffix(r.PathValue("name"), ".tar.gz"), 10, 64)
		if err != nil {
			endpoint.NotFound(w)
			return
		}
		opened, err := exports.Open(r.Context(), who, number)
		if errors.Is(err, realmexport.ErrInvalid) || errors.Is(err, blob.ErrNotFound) {
			endpoint.NotFound(w)
			return
		}
		if err != nil {
			endpoint.Fail(w, r, logger, "serve an archive", err)
			return
		}
		defer opened.Close() //nolint:errcheck // it was only read
		w.Header().Set("Content-Type", "application/gzip")
		w.Header().Set("Content-Disposition", "attachment")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		allowed := func() error {
			_, err := administrator(auth, r)
			return err
		}
		endpoint.OneRange(r)
		http.ServeContent(w, r, "", time.Time{}, &guarded{opened, allowed, now, began})
	})
}

// administrator returns the caller of a request, who is an administrator.
func administrator(auth endpoint.Authenticator, r *http.Request) (actor.Actor, error) {
	who, err := endpoint.Authenticate(auth, r)
	if err != nil {
		return actor.Actor{}, err
	}
	return who, permit.Admin.Check(who)
}
