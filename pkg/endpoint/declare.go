package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// Faults are the endpoint's own faults, for its documentation and tests.
type Faults []*fault.Fault

// Limits in bytes for the body of a request (docs/decisions/0008-limits-and-caches.md).
const (
	// SmallBody is the default limit.
	SmallBody = 64 << 10
	// LargeBody is for texts and long lists. No endpoint has a higher limit.
	LargeBody = 1 << 20
)

// About describes an endpoint, besides its types.
type About struct {
	// Route is the method and the path below /api/v1, "PATCH /streams/{stream_id}". A segment in
	// braces is a parameter; the last one may be "{name...}", which takes the rest of the path.
	Route string
	// Who may call. Mandatory, except for [Public].
	Who permit.Who
	// CountedLocally counts calls in this process only, for endpoints that are called very often. Calls of others count
	// for the account in all processes together (rest-api.md, section 1.6), except for those of [Public], which don't count.
	CountedLocally bool
	// Faults are the endpoint's own faults.
	Faults Faults
	// Streams says that the endpoint may answer with server-sent events, see [Stream]. It is for the documentation.
	Streams bool
	// MaxBody is the limit in bytes for the request's body, at most [LargeBody]; 0: [SmallBody].
	MaxBody int64
	// Memory is the approximate number of bytes that the handler needs if its answer may be large. They are reserved before it
	// runs, and it runs when its caller has a turn, see [Reserve]. 0 is for small answers, and for handlers that reserve
	// memory themselves.
	Memory int64
	// ChangesCallers says that the endpoint may change what an [Authenticator] caches: accounts, their keys, or their
	// organization. The next request then finds it changed, see [Refresher].
	ChangesCallers bool
	// Refused, if set, is called before the answer if a request doesn't reach the handler of [New], [Hook] or
	// [Upload], with the reason: its parameters, or that the caller may not call.
	Refused func(ctx context.Context, who actor.Actor, err error)
}

// Nothing is the reply of an endpoint without fields in its answer.
type Nothing struct{}

// Request is the data of a request that a [Public] endpoint gets instead of a caller.
type Request struct {
	Host      string       // as sent by the client, perhaps with a port
	UserAgent string       // the header's text
	Client    string       // name of the program that sent it (rest-api.md, section 1.8)
	Network   netip.Prefix // see [Network]

	call *call
}

// Kind is which of the five functions declared an endpoint.
type Kind int

// The kinds, named after the functions.
const (
	KindNew Kind = iota + 1
	KindPublic
	KindHook
	KindRaw
	KindUpload
)

// Endpoint is a declared endpoint; [NewRouter] serves it. Make one by [New], [Public], [Hook], [Raw] or
// [Upload].
type Endpoint struct {
	about  About
	method string
	path   string // with the prefix
	name   string // method and path
	kind   Kind
	schema *schema
	reply  reflect.Type // nil for KindRaw
	prefix string       // the beginning of the reply's envelope
	pieces pieces       // how a large reply is encoded
	file   *OneFile     // nil except for KindUpload
	maker  string
	serve  func(ctx context.Context, c *call) error
}

// New declares an endpoint for authenticated callers: handle gets the caller and the parameters,
// and its reply is sent in the envelope (rest-api.md, section 1.1). New panics if the declaration
// is invalid.
func New[P, R any](about About, handle func(ctx context.Context, who actor.Actor, in P) (R, error)) Endpoint {
	e := declare(KindNew, about, reflect.TypeFor[P](), reflect.TypeFor[R]())
	e.serve = callerServe(handle)
	return e
}

// Hook declares an incoming webhook: like [New], but callers authenticate by the parameter api_key (rest-api.md, section 1.5) or,
// without it, by HTTP Basic. A parameter field with the tag `body:"json"` gets the request's body whatever its Content-Type.
func Hook[P, R any](about About, handle func(ctx context.Context, who actor.Actor, in P) (R, error)) Endpoint {
	e := declare(KindHook, about, reflect.TypeFor[P](), reflect.TypeFor[R]())
	e.serve = callerServe(handle)
	return e
}

// Public declares an endpoint that needs no authentication.
func Public[P, R any](about About, handle func(ctx context.Context, from Request, in P) (R, error)) Endpoint {
	e := declare(KindPublic, about, reflect.TypeFor[P](), reflect.TypeFor[R]())
	e.serve = func(ctx context.Context, c *call) error {
		in := new(P)
		if err := c.read(ctx, in); err != nil {
			return err
		}
		if err := c.prepare(ctx, about.Memory); err != nil {
			return err
		}
		from := Request{Host: c.r.Host, UserAgent: c.r.UserAgent(), Client: c.from, Network: Network(c.r), call: c}
		reply, err := handle(c.context(ctx), from, *in)
		if err != nil {
			return err
		}
		return c.succeed(ctx, reply)
	}
	return e
}

// Raw declares an endpoint that writes its complete success answer itself, such as a long poll: handle returns the body,
// a JSON object, or a [Deferred]. A waiting request leaves package http's server if possible, see
// [Config].
func Raw[P any](about About, handle func(ctx context.Context, who actor.Actor, in P) (body []byte, later Deferred, err error)) Endpoint {
	e := declare(KindRaw, about, reflect.TypeFor[P](), nil)
	e.serve = func(ctx context.Context, c *call) error {
		if c.r.ContentLength != 0 && c.r.Method == http.MethodGet {
			return errNoBody // waiting requests must not hold bodies
		}
		in := new(P)
		if err := c.admit(ctx, in); err != nil {
			return err
		}
		body, later, err := handle(c.context(ctx), c.who, *in)
		if err != nil {
			return err
		}
		if later != nil {
			if !c.park(later) {
				c.stay(ctx, later)
			}
			return nil
		}
		if err := c.settleAnswer(ctx, cap(body)); err != nil {
			return err
		}
		c.write(http.StatusOK, body)
		return nil
	}
	return e
}

func callerServe[P, R any](handle func(context.Context, actor.Actor, P) (R, error)) func(context.Context, *call) error {
	return func(ctx context.Context, c *call) error {
		in := new(P)
		if err := c.admit(ctx, in); err != nil {
			if refused := c.endpoint.about.Refused; refused != nil && c.who.User != 0 {
				refused(c.context(ctx), c.who, err)
			}
			return err
		}
		if err := c.prepareFor(ctx, c.endpoint.about.Memory); err != nil {
			return err
		}
		c.work()
		reply, err := handle(c.context(ctx), c.who, *in)
		if err != nil {
			return err
		}
		return c.succeed(ctx, reply)
	}
}

const prefix = "/api/v1"

// success is the beginning of the envelope of a reply without its own msg.
const success = `{"result":"success","msg":""`

func declare(kind Kind, about About, params, reply reflect.Type) Endpoint {
	e := Endpoint{about: about, kind: kind, reply: reply, maker: makerName()}
	wrong := func(format string, args ...any) {
		panic(fmt.Sprintf("endpoint: %q: %s", about.Route, fmt.Sprintf(format, args...)))
	}
	method, path, ok := strings.Cut(about.Route, " ")
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	if !ok || !slices.Contains(methods, method) || !strings.HasPrefix(path, "/") {
		wrong("a route is a method, a blank and a path")
	}
	e.method, e.path = method, prefix+path
	e.name = e.method + " " + e.path
	switch {
	case kind == KindPublic && (about.Who != 0 || about.CountedLocally):
		wrong("Who and CountedLocally are for callers, a public endpoint has none")
	case kind != KindPublic && !about.Who.Valid():
		wrong("Who is missing")
	case kind == KindHook && about.Memory != 0:
		wrong("Memory is for large answers, a webhook's is small")
	case about.MaxBody < 0 || about.MaxBody > LargeBody:
		wrong("a body of %d bytes is too much: at most %d", about.MaxBody, LargeBody)
	}
	e.about.MaxBody = cmp.Or(about.MaxBody, SmallBody)
	schema, err := compile(params, kind == KindHook)
	if err != nil {
		wrong("%v", err)
	}
	e.schema = schema
	if err := schema.matchPath(e.path); err != nil {
		wrong("%v", err)
	}
	if reply != nil {
		if e.prefix, err = envelopeFor(reply); err != nil {
			wrong("%v", err)
		}
		e.pieces = piecesOf(reply)
	}
	return e
}

// envelopeFor returns the beginning of the success envelope for a reply type. A reply that has its
// own msg replaces the empty one.
func envelopeFor(reply reflect.Type) (string, error) {
	for reply.Kind() == reflect.Pointer {
		reply = reply.Elem()
	}
	custom := reply.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(reply).Implements(reflect.TypeFor[json.Marshaler]())
	switch {
	case custom, reply.Kind() == reflect.Map && reply.Key().Kind() == reflect.String:
	case reply.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(reply) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == "msg" {
				return `{"result":"success"`, nil
			}
		}
	default:
		return "", fmt.Errorf("a reply is a JSON object, %v isn't", reply)
	}
	return success, nil
}

// makerName returns the full name of the function that called New, Public, Hook, Raw or Upload.
func makerName() string {
	callers := make([]uintptr, 8)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	own := reflect.TypeFor[Endpoint]().PkgPath() + "."
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, own) {
			return frame.Function
		}
		if !more {
			return ""
		}
	}
}
