package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/longpoll"
)

// Config is the configuration and the dependencies of a [Router].
type Config struct {
	Authenticator Authenticator
	Limiter       Limiter
	// LocalLimiter counts for endpoints with [About.CountedLocally].
	LocalLimiter Limiter
	// Refusals counts refused logins, all of them for user 0. Answers to those beyond its limit are delayed by a second.
	// nil: none is delayed.
	Refusals Limiter
	// Release, if set, is called when a request begins to wait for that second: until resume is called, its connection may be
	// closed to make room for others, and closed is closed when it has been.
	Release func(ctx context.Context) (closed <-chan struct{}, resume func())
	Logger  *slog.Logger
	Now     func() time.Time
	// Observe, if set, is called after every answered request with the endpoint's route, empty for unknown paths
	// and methods, the status, 499 if the client went away, and how long it took.
	Observe func(ctx context.Context, route string, status int, took time.Duration)
	// Park, if set, parks a request that waits: answer answers it instead of its handler, see longpoll.Server.
	// Without Park, or if it returns false, the handler waits.
	Park func(w http.ResponseWriter, r *http.Request, answer longpoll.Answer) bool
	// Ending, if set, reports whether the server is shutting down: then every answer asks its client to close
	// the connection.
	Ending func() bool
	// Failed, if set, is called with every error that an endpoint answers with, before the answer. handled reports
	// whether it comes from the endpoint's own handler, not from this package. Tests use it to compare the
	// faults with those that are declared.
	Failed func(e Endpoint, f *fault.Fault, handled bool)
	// Memory is the maximum total size of large bodies and answers, in bytes; 0: [DefaultMemory].
	Memory int64
	// Turns is how many large answers are made concurrently; 0: half the number of processors.
	Turns int
	// Compat supports clients of the reference server: parameters also have the names of the tag compat,
	// and handlers may adapt answers to such clients, see [Compat].
	Compat bool
}

// Router serves endpoints. It answers unknown paths with 404 in the envelope.
type Router struct {
	cfg         Config
	memory      *memory
	turns       *turns
	uploads     *limit.Concurrent[id.User]
	small       atomic.Int64 // number of current calls, without those that make large answers or wait for their turn
	tree        *chi.Mux     // finds the pattern of a path; Router handles methods itself, for 405 and OPTIONS
	paths       map[string]*path
	routes      sync.Pool // of *chi.Context
	forms       sync.Pool // of *form
	buffers     sync.Pool // of *buffer
	compressors compressors
	headers     headers
	fields      string // the encoded header fields that are the same in every answer in JSON
	idPrefix    string
	parked      *http.Request // used in place of the request of a parked poll, which isn't kept
	count       atomic.Uint64
}

// headers are header values that answers share.
type headers struct {
	contentType, cacheControl, expires, sniffing, challenge, closing, eventStream, unbuffered, vary, gzip []string
}

// fields returns the header fields that every answer in JSON has.
func (h *headers) fields() string {
	return "Cache-Control: " + h.cacheControl[0] + "\r\nExpires: " + h.expires[0] + "\r\nX-Content-Type-Options: " + h.sniffing[0] +
		"\r\nContent-Type: " + h.contentType[0] + "\r\n"
}

// path is one pattern with the endpoints of its methods.
type path struct {
	endpoints map[string]*Endpoint
	methods   []string // sorted
	allow     []string // the value of the header Allow
}

// NewRouter returns a router for the endpoints. It panics if two of them have the same route, or if cfg lacks a
// dependency of one of them.
func NewRouter(cfg Config, endpoints []Endpoint) *Router {
	if cfg.Logger == nil || cfg.Now == nil {
		panic("endpoint: a router needs a logger and a clock")
	}
	rt := &Router{
		cfg:         cfg,
		memory:      newMemory(cmp.Or(cfg.Memory, DefaultMemory)),
		turns:       newTurns(cmp.Or(cfg.Turns, defaultTurns())),
		uploads:     limit.NewConcurrent[id.User](maxUploads),
		compressors: newCompressors(),
		tree:        chi.NewRouter(),
		paths:       map[string]*path{},
		headers: headers{
			contentType:  []string{"application/json"},
			cacheControl: []string{"max-age=0, no-cache, no-store, must-revalidate"},
			expires:      []string{"Thu, 01 Jan 1970 00:00:00 GMT"},
			sniffing:     []string{"nosniff"},
			closing:      []string{"close"},
			challenge:    []string{challenge},
			eventStream:  []string{eventStream},
			unbuffered:   []string{"no"},
			vary:         []string{"Accept-Encoding"},
			gzip:         []string{"gzip"},
		},
		idPrefix: rand.Text()[:12] + "-",
		parked:   &http.Request{Method: http.MethodGet},
	}
	rt.fields = rt.headers.fields()
	rt.routes.New = func() any { return chi.NewRouteContext() }
	rt.forms.New = func() any { return new(form) }
	rt.buffers.New = func() any { return newBuffer() }
	for _, e := range endpoints {
		rt.add(e)
	}
	return rt
}

// challenge is the header WWW-Authenticate of a 401.
const challenge = `Basic realm="chatserver"`

func (rt *Router) add(e Endpoint) {
	if e.serve == nil {
		panic("endpoint: the zero Endpoint serves nothing")
	}
	limiter := rt.cfg.Limiter
	if e.about.CountedLocally {
		limiter = rt.cfg.LocalLimiter
	}
	if e.kind != KindPublic && (rt.cfg.Authenticator == nil || limiter == nil) {
		panic("endpoint: " + e.about.Route + " needs an authenticator and a limiter")
	}
	pattern := e.pattern()
	p := rt.paths[pattern]
	if p == nil {
		p = &path{endpoints: map[string]*Endpoint{}}
		rt.paths[pattern] = p
		rt.tree.Method(http.MethodGet, pattern, http.NotFoundHandler())
	}
	if p.endpoints[e.method] != nil {
		panic("endpoint: " + e.about.Route + " is declared twice")
	}
	p.endpoints[e.method] = &e
	p.methods = append(p.methods, e.method)
	slices.Sort(p.methods)
	p.allow = []string{strings.Join(p.methods, ", ")}
}

// pattern returns the path as a pattern of the tree: numbers match digits only, and parameters are named by
// their position, since the endpoints of one path may have different names for them.
func (e Endpoint) pattern() string {
	segments := strings.Split(e.path, "/")
	for i, segment := range segments {
		name, isParam := strings.CutPrefix(strings.TrimSuffix(segment, "}"), "{")
		position := strconv.Itoa(i)
		switch {
		case !isParam:
		case strings.HasSuffix(name, "..."):
			segments[i] = "*"
		case e.schema.digits(name):
			segments[i] = "{" + position + ":[0-9]+}"
		default:
			segments[i] = "{" + position + "}"
		}
	}
	return strings.Join(segments, "/")
}

// ServeHTTP answers one request.
func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{router: rt, w: w, r: r, began: rt.cfg.Now(), number: rt.count.Add(1)}
	c.begin()
	ctx := r.Context()
	defer c.finish(ctx)
	if !c.route(ctx) {
		return
	}
	if err := c.endpoint.serve(ctx, c); err != nil {
		c.fail(ctx, err)
	}
}

// changes reports whether a method changes something.
func changes(method string) bool {
	switch method {
	case http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete:
		return true
	default:
		return false
	}
}

// route finds the endpoint. If there is none, it answers and returns false.
func (c *call) route(ctx context.Context) bool {
	p := c.router.find(c)
	if p == nil {
		c.writeFault(ctx, errUnknownPath)
		return false
	}
	// Browsers add the address and key that their users once typed in to requests from any site.
	if changes(c.r.Method) && crossSite(c.r) {
		c.writeFault(ctx, errCrossSite)
		return false
	}
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if c.endpoint = p.endpoints[method]; c.endpoint == nil {
		c.otherMethod(ctx, p)
		return false
	}
	return true
}

// begin sets the headers of every answer.
func (c *call) begin() {
	if id := c.r.Header.Get("X-Request-Id"); len(id) <= 64 && !strings.ContainsFunc(id, notInID) {
		c.sentID = id
	}
	c.setHeader(c.w.Header())
}

// setHeader sets the header fields that every answer has.
func (c *call) setHeader(h http.Header) {
	h["Cache-Control"] = c.router.headers.cacheControl
	h["Expires"] = c.router.headers.expires
	h["X-Content-Type-Options"] = c.router.headers.sniffing
	h["X-Request-Id"] = []string{c.requestID()}
	c.quota.set(h)
}

// appendHeader appends the encoded header of an answer in JSON.
func (c *call) appendHeader(to *bytes.Buffer) {
	to.WriteString(c.router.fields)
	to.WriteString("X-Request-Id: ")
	if c.sentID != "" {
		to.WriteString(c.sentID)
	} else {
		to.WriteString(c.router.idPrefix)
		to.Write(strconv.AppendUint(to.AvailableBuffer(), c.number, 36))
	}
	to.WriteString("\r\n")
	c.quota.append(to)
}

func notInID(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// find returns the endpoints of the request's path, and stores the path's parameters in c.
func (rt *Router) find(c *call) *path {
	route, ok := rt.routes.Get().(*chi.Context)
	if !ok {
		panic("endpoint: the pool holds routing contexts only")
	}
	defer rt.routes.Put(route)
	route.Reset()
	escaped := c.r.URL.RawPath != ""
	text := c.r.URL.Path
	if escaped {
		text = c.r.URL.RawPath
	}
	p := rt.paths[rt.tree.Find(route, http.MethodGet, text)]
	if p == nil {
		return nil
	}
	for _, raw := range route.URLParams.Values {
		if escaped {
			var err error
			if raw, err = url.PathUnescape(raw); err != nil {
				return nil
			}
		}
		c.segments = append(c.segments, raw)
	}
	return p
}

// finish answers if the handler panicked, releases the call's shared resources, and calls the observer.
func (c *call) finish(ctx context.Context) { c.finishAfter(ctx, recover()) }

// finishAfter is finish after a panic with a cause; nil: there was no panic.
func (c *call) finishAfter(ctx context.Context, cause any) {
	defer c.letGo() // even if panicked panics again
	if cause != nil {
		c.panicked(ctx, cause)
	}
	if c.router.cfg.Observe != nil && !c.parked {
		c.router.cfg.Observe(ctx, c.routeName(), c.status, c.router.cfg.Now().Sub(c.began))
	}
}

// letGo releases the shared resources that the call holds.
func (c *call) letGo() {
	c.passTurn()
	c.pause()
	if c.uploads {
		c.router.uploads.Leave(c.who.User)
	}
	if c.grant.bytes > 0 {
		free := func() { c.settle(0) }
		if !longpoll.WhenSent(c.w, free) {
			free()
		}
	}
}

func (c *call) panicked(ctx context.Context, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // the sentinel is compared as package http does.
		c.status = statusGone
		panic(cause)
	}
	c.logger().LogAttrs(ctx, slog.LevelError, "handler panicked", slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	c.writeFault(ctx, errInternal)
}

func (rt *Router) getForm(slots int) *form {
	f, ok := rt.forms.Get().(*form)
	if !ok {
		panic("endpoint: the pool holds forms only")
	}
	f.texts, f.compat = slices.Grow(f.texts[:0], slots)[:slots], rt.cfg.Compat
	return f
}

func (rt *Router) putForm(f *form) {
	clear(f.texts)
	*f = form{texts: f.texts[:0]}
	rt.forms.Put(f)
}
