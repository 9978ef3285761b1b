package compat

import (
	"fmt"
	"net/http"
	"strings"

	"chatserver.dev/pkg/product"
)

// Version is the release of the reference server that has our feature level; clients compare it
// with the oldest one that they work with.
const Version = "3.1"

// The paths that something is done for.
const (
	serverSettings = "/api/v1/server_settings"
	register       = "/api/v1/register"
	events         = "/api/v1/events"
)

// Wrap gives next to the reference server's clients.
func Wrap(next http.Handler) http.Handler {
	extra := fmt.Sprintf(`"zulip_version":%q,"zulip_feature_level":%d,`, Version, product.FeatureLevel)
	return &handler{next: next, extra: []byte(extra)}
}

type handler struct {
	next  http.Handler
	extra []byte // members that the answers of serverSettings and register begin with
}

// ServeHTTP is kept small, for its frame stays on the stack of every long poll.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != events:
		h.serve(w, r)
	case namesStreams(r):
		h.next.ServeHTTP(&poll{ResponseWriter: w, request: r, handler: h}, r)
	default:
		h.next.ServeHTTP(w, r)
	}
}

// namesStreams reports whether a request's client knows streams by their names in muted topics, and
// subscribers by their addresses.
func namesStreams(r *http.Request) bool { return strings.HasPrefix(r.UserAgent(), "Zulip") }

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	r = aliasQuery(r)
	switch {
	case r.URL.Path == serverSettings:
		h.next.ServeHTTP(&splicer{ResponseWriter: w, extra: h.extra}, r)
	case membersOf(r) && namesStreams(r):
		h.members(w, r)
	case r.URL.Path != register:
		h.next.ServeHTTP(w, r)
	case namesStreams(r):
		answer := &answer{header: w.Header()}
		h.next.ServeHTTP(answer, aliasBody(r))
		if answer.status == http.StatusOK {
			ctx := r.Context()
			answer.body = nameStreams(answer.body, func() map[int64]string { return h.streams(ctx, askerOf(r)) })
		}
		answer.send(&splicer{ResponseWriter: w, extra: h.extra})
	default:
		h.next.ServeHTTP(&splicer{ResponseWriter: w, extra: h.extra}, aliasBody(r))
	}
}
