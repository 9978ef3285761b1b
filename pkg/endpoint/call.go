package endpoint

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/yield"
)

// call is the state of one request.
type call struct {
	router   *Router
	endpoint *Endpoint // nil until the route is found
	w        http.ResponseWriter
	r        *http.Request
	form     *form    // only while parameters are read
	segments []string // the path's parameters
	who      actor.Actor
	sureAt   time.Time // of the caller's last authentication by confirm; zero: there was none
	from     string    // the client's name
	number   uint64    // of the request
	sentID   string    // the request id that a proxy chose
	status   int
	refused  bool // authentication failed
	handled  bool // the request has reached the endpoint's own handler
	began    time.Time
	quota    quota // for the answer's headers
	parked   bool  // the answer follows later, see park
	late     bool  // it is the later answer of a parked call
	file     *File // nil except for [Upload]
	uploads  bool  // it counts among the router's uploads

	grant   grant // of the router's memory
	hasTurn bool  // it has a turn to make a large answer
	pace    *pace // nil unless hasTurn
	working bool  // it counts among the router's small calls
}

type requestIDKey struct{}

// RequestID returns the id of ctx's request in the log and in
// the header X-Request-Id; empty outside of requests.
func RequestID(ctx context.Context) string {
	c, ok := ctx.Value(requestIDKey{}).(*call)
	if !ok {
		return ""
	}
	return c.requestID()
}

// Caller returns the caller of ctx's request; ok is false outside of requests, and for endpoints without
// authentication.
func Caller(ctx context.Context) (who actor.Actor, ok bool) {
	c, ok := ctx.Value(requestIDKey{}).(*call)
	if !ok || c.who.User == 0 {
		return actor.Actor{}, false
	}
	return c.who, true
}

// Compat returns the header User-Agent of ctx's request, and whether [Config.Compat] is set; false outside of requests.
func Compat(ctx context.Context) (userAgent string, on bool) {
	c, ok := ctx.Value(requestIDKey{}).(*call)
	if !ok || !c.router.cfg.Compat {
		return "", false
	}
	return c.r.UserAgent(), true
}

// context returns the context for the endpoint's handler.
func (c *call) context(ctx context.Context) context.Context {
	return context.WithValue(yield.With(ctx, c.rest), requestIDKey{}, c)
}

func (c *call) requestID() string {
	if c.sentID != "" {
		return c.sentID
	}
	return c.router.idPrefix + strconv.FormatUint(c.number, 36)
}

// routeName returns the endpoint's name in logs and metrics; empty if there is no endpoint.
func (c *call) routeName() string {
	if c.endpoint == nil {
		return ""
	}
	return c.endpoint.name
}

// admit authenticates the caller, counts the call, checks the caller's permissions, and reads the parameters into in, in
// the order of rest-api.md, section 1.4. Before authentication, it reads only the query string or, if the
// key must be in the form, a body of limited size.
func (c *call) admit(ctx context.Context, in any) (err error) {
	s := c.endpoint.schema
	c.form = c.router.getForm(len(s.slots))
	defer c.release()
	s.readQuery(c.form, c.r)
	early := c.endpoint.ByKey() && s.body == nil && !c.form.texts[s.slots[keyParam]].given && !c.hasHeader()
	if early {
		if err := c.readBody(ctx, min(SmallBody, c.endpoint.about.MaxBody)); err != nil {
			return err
		}
	}
	if c.who, err = c.authenticate(ctx); err != nil {
		c.refused = c.who.User == 0
		return err
	}
	if err := c.limit(ctx); err != nil {
		return err
	}
	if c.who, err = c.permit(ctx, c.who); err != nil {
		return err
	}
	if !early {
		if err := c.readBody(ctx, c.endpoint.about.MaxBody); err != nil {
			return err
		}
		if hasBody(c.r) {
			if c.who, err = c.confirm(ctx); err != nil {
				return err
			}
		}
	}
	return c.fill(in)
}

// read reads the parameters of an endpoint without callers.
func (c *call) read(ctx context.Context, in any) error {
	s := c.endpoint.schema
	c.form = c.router.getForm(len(s.slots))
	defer c.release()
	s.readQuery(c.form, c.r)
	if err := c.readBody(ctx, c.endpoint.about.MaxBody); err != nil {
		return err
	}
	return c.fill(in)
}

// readBody reads the body. It first reserves memory for its maximum size.
func (c *call) readBody(ctx context.Context, limit int64) error {
	if c.endpoint.file != nil {
		return c.readToFile(ctx)
	}
	length := c.r.ContentLength
	if length < 0 {
		length = limit
	}
	if hasBody(c.r) && length > freeBody && length <= limit {
		if err := c.reserve(ctx, bodyFactor*length, waitTimeout); err != nil {
			return err
		}
	}
	return c.endpoint.schema.readBody(c.form, c.w, c.r, limit)
}

func (c *call) fill(in any) error {
	s := c.endpoint.schema
	client := c.form.texts[s.slots[clientParam]]
	if err := (rules{}).clean(valuePath{name: clientParam}, client.raw); err != nil {
		return err
	}
	c.from = clientName(client.raw, c.r.UserAgent())
	c.who.Client = c.from
	err := s.fill(reflect.ValueOf(in), c.form, c.segments)
	c.handled = err == nil
	return err
}

// release releases the form before the handler runs.
func (c *call) release() {
	c.router.putForm(c.form)
	c.form = nil
}
