package uploads

import (
	"context"
	"log/slog"
	"mime"
	"net/http"
	"strings"

	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
)

// FileRoute is the route of [Server.File], at the host's root rather than below the interface's prefix.
const FileRoute = "GET " + attachment.Prefix + "{org_id}/{filename...}"

// TemporaryRoute is the route of [Server.TemporaryFile].
const TemporaryRoute = "GET " + attachment.Prefix + "temporary/{token}/{filename}"

const (
	// policy makes a file that is opened as a page unable to load or run anything.
	policy = "default-src 'none'; sandbox"
	// mediaPolicy allows the browser's player for video and audio to load the opened file, and nothing else.
	mediaPolicy = "default-src 'none'; media-src 'self'; sandbox allow-same-origin"
	// documentPolicy allows the browser's PDF viewer to show the file. The viewer doesn't work in a sandbox.
	documentPolicy = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'"
)

// Server serves files. It limits the number of files that an account reads concurrently. It is safe for concurrent use.
type Server struct {
	uploads *attachment.Service
	reads   *reads
	logger  *slog.Logger
}

// NewServer returns a server.
func NewServer(uploads *attachment.Service, logger *slog.Logger) *Server {
	return &Server{uploads, newReads(), logger}
}

// File serves uploaded files to callers who may read them (rest-api.md, section 5.10).
func (s *Server) File(auth endpoint.Authenticator) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := endpoint.Authenticate(auth, r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.serve(w, r, who.User, func(ctx context.Context) (attachment.Readable, error) {
			return s.uploads.Find(ctx, who, r.PathValue("org_id")+"/"+r.PathValue("filename"))
		})
	})
}

// TemporaryFile serves uploaded files at the addresses that [Temporary] returns, without authentication.
func (s *Server) TemporaryFile() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := s.uploads.FindTemporary(r.Context(), r.Host, r.PathValue("token"), r.PathValue("filename"))
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.serve(w, r, found.Reader, func(ctx context.Context) (attachment.Readable, error) { return found, s.uploads.Confirm(ctx, found) })
	})
}

// serve responds with the file that find returns for a reader. Finding it counts as reading, since it may take long for
// a file in many messages.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, reader id.User, find func(context.Context) (attachment.Readable, error)) {
	end, err := s.reads.begin(r.Context(), reader)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer end()
	found, err := find(r.Context())
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
	endpoint.OneRange(r)
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
	h.Set("Vary", "Cookie") // a browser doesn't show what it has kept to its next user
	h.Set("ETag", `"`+found.Tag()+`"`)
}

// refuse responds with an error.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Cache-Control", "private, no-store")
	endpoint.Fail(w, r, s.logger, "serve a file", err)
}
