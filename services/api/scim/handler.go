package scim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/provision"
)

// Route is the route of [Handler], at the host's root rather than below the interface's prefix.
const Route = prefix + "/"

const (
	prefix = "/scim/v2"
	// kind is the media type of responses; clients may also send application/json (RFC 7644, section 3.1).
	kind = "application/scim+json"
	// maxBody is the maximum size of a request's body, in bytes.
	maxBody = 256 << 10
	// maxCalls is the maximum number of calls that are carried out at a time, and maxPerOrg that of one organization.
	maxCalls  = 8
	maxPerOrg = 2
	// maxInMemory is the maximum number of calls whose bodies and answers are in memory, and maxInMemoryPerOrg that of one organization,
	// whose provider may send bodies and read answers slowly.
	maxInMemory       = 64
	maxInMemoryPerOrg = 4
)

// Deps are the dependencies of a [Handler].
type Deps struct {
	Orgs   *org.Service
	People *provision.Service
	Now    func() time.Time
	Logger *slog.Logger
}

// Handler serves the protocol to clients with a token of the organization at the host. It is safe for concurrent use.
type Handler struct {
	deps     Deps
	mux      *http.ServeMux
	turns    *fair.Semaphore            // of carrying out calls
	inMemory *fair.Semaphore            // of calls from their bodies until their answers are sent
	rate     *limit.Local[id.User]      // calls by organization, in place of an account
	refusals *limit.Local[netip.Prefix] // calls without a token that was valid before, by network
	known    *known
}

// New returns a handler.
func New(d Deps) *Handler {
	h := &Handler{
		deps: d, mux: http.NewServeMux(), turns: fair.NewSemaphore(maxCalls, maxPerOrg), inMemory: fair.NewSemaphore(maxInMemory, maxInMemoryPerOrg),
		rate:     limit.NewLocal(limit.Rule{Calls: 3000, Window: time.Minute}),
		refusals: limit.NewLocalByAddress(limit.Rule{Calls: 100, Window: time.Minute}),
		known:    newKnown(),
	}
	methods := map[string][]string{}
	for pattern, serve := range map[string]func(c *call) error{
		"GET /ServiceProviderConfig": h.config,
		"GET /ResourceTypes":         h.types,
		"GET /ResourceTypes/{id}":    h.typ,
		"GET /Schemas":               h.schemas,
		"GET /Schemas/{id}":          h.schema,
		"GET /Users":                 listed(h.people),
		"POST /Users":                h.create,
		"POST /Users/.search":        searched(h.people),
		"GET /Users/{id}":            h.get,
		"PUT /Users/{id}":            h.replace,
		"PATCH /Users/{id}":          h.patch,
		"DELETE /Users/{id}":         h.remove,
		"GET /Groups":                listed(h.groups),
		"POST /Groups":               h.createGroup,
		"POST /Groups/.search":       searched(h.groups),
		"GET /Groups/{id}":           h.getGroup,
		"PUT /Groups/{id}":           h.replaceGroup,
		"PATCH /Groups/{id}":         h.patchGroup,
		"DELETE /Groups/{id}":        h.removeGroup,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		if !strings.HasSuffix(path, "/.search") { // other methods would be for a resource with the id .search, which doesn't exist
			methods[path] = append(methods[path], method)
		}
		h.mux.Handle(method+" "+prefix+path, h.serve(serve))
	}
	for path, allowed := range methods {
		slices.Sort(allowed)
		h.mux.Handle(prefix+path, h.serve(func(c *call) error {
			c.w.Header().Set("Allow", strings.Join(allowed, ", "))
			return &failure{status: http.StatusMethodNotAllowed, detail: "Method not allowed"}
		}))
	}
	h.mux.Handle("/", h.serve(func(*call) error { return &failure{status: http.StatusNotFound, detail: "Not found"} }))
	return h
}

// ServeHTTP answers one call.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// call is a request, with its organization after [Handler.admit].
type call struct {
	w      http.ResponseWriter
	r      *http.Request
	org    org.Org
	token  string
	sureAt time.Time // before its token was checked
	text   []byte    // the request's body
	status int       // of the answer
	body   []byte    // of the answer; nil: none
}

func (c *call) context() context.Context { return c.r.Context() }

func (h *Handler) serve(f func(c *call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		c := &call{w: w, r: r}
		err := h.admit(c) //nolint:contextcheck // the call has its request's
		if err == nil {
			end, ok := h.inMemory.Acquire(r.Context(), c.org.ID)
			if !ok {
				return
			}
			defer end()
			if ok, err = h.carryOut(c, f); !ok { //nolint:contextcheck // as above
				return
			}
		}
		if err != nil {
			h.refuse(c, err) //nolint:contextcheck // as above
		}
		c.write()
	})
}

// carryOut reads the body of a call and makes the answer. ok is false if the client has disconnected before it could.
func (h *Handler) carryOut(c *call, f func(c *call) error) (ok bool, err error) {
	if err := c.read(); err != nil {
		return true, err
	}
	end, ok := h.turns.Acquire(c.context(), c.org.ID)
	if !ok {
		return false, nil
	}
	defer end()
	if err := h.confirm(c); err != nil {
		return true, err
	}
	return true, f(c)
}

// confirm checks the token and the organization again if that was a while ago: the body may have taken half a minute, and the turn
// longer.
func (h *Handler) confirm(c *call) error {
	if h.deps.Now().Sub(c.sureAt) <= endpoint.ConfirmAfter {
		return nil
	}
	o, err := h.deps.Orgs.ByHost(c.context(), c.r.Host)
	if err != nil {
		return err
	}
	if o.Deactivated {
		return h.unauthorized(c)
	}
	c.org = o // if the host is another organization's now, the token isn't valid there
	valid, err := h.deps.People.Admits(c.context(), o.ID, c.token)
	if err == nil && !valid {
		err = h.unauthorized(c)
	}
	return err
}

// admit finds the organization, and checks the token and the rate limits.
func (h *Handler) admit(c *call) error {
	o, err := h.deps.Orgs.ByHost(c.context(), c.r.Host)
	if err != nil {
		return err
	}
	c.org, c.sureAt = o, h.deps.Now()
	scheme, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || o.Deactivated {
		token = ""
	}
	c.token = strings.TrimSpace(token)
	valid, err := h.admits(c, c.token)
	switch {
	case err != nil:
		return err
	case valid:
		return h.slow(c, h.rate.Allow(id.User(o.ID), h.deps.Now()))
	}
	return h.unauthorized(c)
}

func (*Handler) unauthorized(c *call) error {
	c.w.Header().Set("WWW-Authenticate", `Bearer realm="scim"`)
	return &failure{status: http.StatusUnauthorized, detail: "The token is missing or wrong"}
}

// admits reports whether a token is valid. Tokens that weren't valid before are limited by the client's network before the database is
// asked. Those that were aren't: somebody else in a provider's network can't lock it out.
func (h *Handler) admits(c *call, token string) (valid bool, err error) {
	if !h.known.has(c.org.ID, token) {
		if err := h.slow(c, h.refusals.Allow(endpoint.Network(c.r), h.deps.Now())); err != nil {
			return false, err
		}
	}
	if token == "" {
		return false, nil
	}
	if valid, err = h.deps.People.Admits(c.context(), c.org.ID, token); err == nil {
		h.known.set(c.org.ID, token, valid)
	}
	return valid, err
}

func (*Handler) slow(c *call, d limit.Decision) error {
	if d.Allowed {
		return nil
	}
	c.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.RetryAfter.Seconds()))))
	return &failure{status: http.StatusTooManyRequests, detail: "Too many calls: wait for as long as the header Retry-After says"}
}

func (h *Handler) refuse(c *call, err error) {
	f := failureOf(err)
	if f.cause != nil && c.r.Context().Err() == nil {
		h.deps.Logger.ErrorContext(c.r.Context(), "SCIM request failed", slog.String("method", c.r.Method), slog.Any("error", f.cause))
	}
	c.answer(f.status, f.reply())
}

// answer makes an object, as JSON, the answer.
func (c *call) answer(status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte("{}")
	}
	c.status, c.body = status, text
}

// write sends the answer. The client may read it slowly.
func (c *call) write() {
	if c.body == nil {
		c.w.WriteHeader(c.status)
		return
	}
	c.w.Header().Set("Content-Type", kind)
	c.w.WriteHeader(c.status)
	_, _ = c.w.Write(c.body) // the client may have disconnected
}

// read reads the request's body.
func (c *call) read() (err error) {
	c.text, err = io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	large := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &large):
		return &failure{status: http.StatusRequestEntityTooLarge, detail: "The body is too large"}
	case err != nil:
		return bad(invalidSyntax, "The body can't be read")
	}
	return nil
}

// decode decodes the request's body.
func (c *call) decode(into any) error {
	if json.Unmarshal(c.text, into) != nil {
		return bad(invalidSyntax, "The body isn't the JSON that was expected")
	}
	return nil
}
