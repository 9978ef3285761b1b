package uploads

import (
	"log/slog"
	"mime"
	"net/http"
	"strings"

	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
)

// FileRoute is the route of [File], at the host's root rather than below the interface's prefix.
const FileRoute = "GET " + attachment.Prefix + "{org_id}/{filename...}"

// TemporaryRoute is the route of [TemporaryFile].
const TemporaryRoute = "GET " + attachment.Prefix + "temporary/{token}/{filename}"

const (
	// policy makes a file that is opened as a page unable to load or run anything.
	policy = "default-src 'none'; sandbox"
	// mediaPolicy allows the browser's player for video and audio to load the opened file, and nothing else.
	mediaPolicy = "default-src 'none'; media-src 'self'; sandbox allow-same-origin"
	// documentPolicy allows the browser's PDF viewer to show the file. The viewer doesn't work in a sandbox.
	documentPolicy = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'"
)

// server serves files. It is safe for concurrent use.
type server struct {
	uploads *attachment.Service
	logger  *slog.Logger
}

// File serves uploaded files to callers who may read them (rest-api.md, section 5.10).
func File(uploads *attachment.Service, auth endpoint.Authenticator, logger *slog.Logger) http.Handler {
	s := server{uploads, logger}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := endpoint.Authenticate(auth, r)
		found := attachment.Readable{}
		if err == nil {
			found, err = uploads.Find(r.Context(), who, r.PathValue("org_id")+"/"+r.PathValue("filename"))
		}
		s.serve(w, r, found, err)
	})
}

// TemporaryFile serves uploaded files at the addresses that [Temporary] returns, without authentication.
func TemporaryFile(uploads *attachment.Service, logger *slog.Logger) http.Handler {
	s := server{uploads, logger}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := uploads.FindTemporary(r.Context(), r.Host, r.PathValue("token"), r.PathValue("filename"))
		s.serve(w, r, found, err)
	})
}

// serve responds with a file, or with err if it isn't nil.
func (s server) serve(w http.ResponseWriter, r *http.Request, found attachment.Readable, err error) {
	w.Header().Set("Cache-Control", "private, no-store")
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	opened, err := s.uploads.Open(r.Context(), found)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer opened.Close() //nolint:errcheck // it was only read
	head(w.Header(), found)
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // the whole file costs less than many parts of it
	}
	http.ServeContent(w, r, "", found.Created, opened)
}

// head sets the headers about a file. The media type isn't the one that the uploader claimed.
func head(h http.Header, found attachment.Readable) {
	kind, disposition, allowed := "application/octet-stream", "attachment", policy
	if found.MediaType != "" {
		kind, disposition = found.MediaType, "inline"
	}
	switch {
	case kind == "application/pdf":
		allowed = documentPolicy
	case strings.HasPrefix(kind, "video/"), strings.HasPrefix(kind, "audio/"):
		allowed = mediaPolicy
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": found.Name}))
	h.Set("Content-Security-Policy", allowed)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, immutable")
	h.Set("ETag", `"`+found.Tag()+`"`)
}

// refuse responds with an error, and logs those that aren't the client's fault.
func (s server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.Of(err)
	if r.Context().Err() != nil {
		return // the reader left
	}
	if f == nil || f.Kind >= fault.Internal {
		s.logger.ErrorContext(r.Context(), "failed to serve a file", slog.Any("error", err))
	}
	if f == nil {
		endpoint.InternalError(w)
		return
	}
	endpoint.Refuse(w, f)
}
