package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/fault"
)

// Faults of this package itself (rest-api.md, sections 1.1, 1.4 to 1.6).
var (
	errUnknownPath    = fault.New(fault.NotFound, fault.CodeNotFound, "Not Found")
	errMethod         = fault.New(fault.MethodNotAllowed, fault.CodeMethodNotAllowed, "Method Not Allowed")
	errCrossSite      = fault.New(fault.Forbidden, fault.CodeNone, "This request comes from a page of another website (by Sec-Fetch-Site or Origin), which can't change anything here: open a page of this server, or use a program")
	errTooLarge       = fault.New(fault.TooLarge, fault.CodeTooLarge, "The request's body is too large")
	errTooManyParts   = fault.Bad("The request's form has too many parts or headers of parts: at most 1000 parts, and 10000 headers in all of them")
	errEncoding       = fault.New(fault.UnsupportedMedia, fault.CodeUnsupportedEncoding, "The request's body has the Content-Encoding '%s': send it without one")
	errNoBody         = fault.Bad("This request must not have a body: send the parameters in the query string")
	errSlowBody       = fault.Bad("The request's body didn't arrive in time: send all of it within 30 seconds")
	errUnreadableBody = fault.Bad("The request's body can't be read")
	errMissingHeader  = fault.New(fault.Invalid, fault.CodeMissingHeader, "Missing the HTTP event header '%s'")
	errMalformedJSON  = fault.New(fault.Invalid, fault.CodeInvalidJSON, "Malformed JSON")
	errInternal       = fault.New(fault.Internal, fault.CodeNone, "Internal server error")
	errTooLong        = fault.Bad("%v is too long (limit: %d characters%s)")
	errRateLimit      = fault.New(fault.TooMany, fault.CodeRateLimitHit, "API usage exceeded rate limit")
)

// retryAfter is the member of a fault's data with the number of seconds after which the request can be repeated. It is
// also sent as the header Retry-After.
const retryAfter = "retry-after"

// statusGone is the status that metrics and logs have for a request whose client disconnected. It is never sent.
const statusGone = 499

// fail answers with the envelope for err, and logs errors that clients must not see.
func (c *call) fail(ctx context.Context, err error) {
	f := fault.Of(err)
	switch {
	case (f == nil || f.Kind >= fault.Internal) && errors.Is(err, context.Canceled) && ctx.Err() != nil:
		c.status = statusGone
		return
	case f == nil:
		c.logger().LogAttrs(ctx, slog.LevelError, "request failed", slog.Any("error", err))
		f = errInternal
	case f.IsLimit(): // it could fill the log; metrics count it
	case f.Kind >= fault.Internal:
		c.logger().LogAttrs(ctx, slog.LevelError, "request failed", slog.Any("error", err))
	case f.Cause != nil && c.router.cfg.Logger.Enabled(ctx, slog.LevelDebug):
		c.logger().LogAttrs(ctx, slog.LevelDebug, "request refused", slog.Any("error", err))
	}
	if c.refused && f.Kind < fault.Internal {
		c.slowRefusal(ctx)
	}
	if c.router.cfg.Failed != nil {
		ofBody := errors.Is(f, errUnreadableBody) || errors.Is(f, errTooLarge) // this package's, even if a handler that reads a file returns them
		c.router.cfg.Failed(*c.endpoint, f, c.handled && !ofBody && !isMeanwhile(err))
	}
	c.writeFault(ctx, f)
}

// logger returns a logger with attributes for the request and its caller.
func (c *call) logger() *slog.Logger {
	log := c.router.cfg.Logger.With(
		slog.String("method", c.r.Method),
		slog.String("route", c.routeName()),
		slog.String("request_id", c.requestID()),
	)
	if c.who.User != 0 {
		log = log.With(slog.Int64("org", int64(c.who.Org())), slog.Int64("user", int64(c.who.User)))
	}
	return log
}

// statusOf returns the HTTP status of a kind.
func statusOf(k fault.Kind) int {
	switch k {
	case fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.MethodNotAllowed, fault.Conflict,
		fault.TooLarge, fault.UnsupportedMedia, fault.TooMany, fault.Internal, fault.BadGateway, fault.Unavailable:
		return int(k)
	default:
		return http.StatusInternalServerError
	}
}

// writeFault sends the error envelope. The members of a fault's data come after the fixed ones.
func (c *call) writeFault(ctx context.Context, f *fault.Fault) {
	b := c.router.getBuffer()
	defer c.router.putBuffer(b)
	if ofClient(c.r) {
		f = translated(f, c.r.Header.Get("Accept-Language"))
	}
	if err := b.fault(f); err != nil {
		c.logger().LogAttrs(ctx, slog.LevelError, "failed to encode a fault", slog.Any("error", err))
		b.buf.Reset()
		f = errInternal
		b.buf.WriteString(`{"result":"error","msg":"` + f.Msg + `"}` + "\n")
	}
	switch wait, known := f.Data[retryAfter]; {
	case known:
		c.w.Header()["Retry-After"] = []string{fmt.Sprint(wait)}
	case f.IsLimit(): // the server is busy at the moment
		c.w.Header()["Retry-After"] = []string{"1"}
	}
	if f.Kind == fault.UnsupportedMedia {
		c.w.Header().Set("Accept-Encoding", identity) // RFC 9110, section 15.5.16
	}
	if f.Kind == fault.Unauthenticated {
		c.w.Header()["Www-Authenticate"] = c.router.headers.challenge
		if byScript(c.r) {
			c.w.Header().Set("WWW-Authenticate", sessionChallenge)
		}
	}
	c.write(statusOf(f.Kind), b.buf.Bytes())
}

// translated returns a fault in the best language for a header Accept-Language. If its text then differs, the member
// untranslated has the English one.
func translated(f *fault.Fault, accept string) *fault.Fault {
	own := f.In(catalogue.Best(accept).Refusal)
	if own.Msg == f.Msg {
		return f
	}
	return own.With("untranslated", f.Msg)
}

func (b *buffer) fault(f *fault.Fault) error {
	b.buf.WriteString(`{"result":"error","msg":`)
	if err := b.value(f.Msg); err != nil {
		return err
	}
	if f.Code != "" {
		b.buf.WriteString(`,"code":`)
		if err := b.value(f.Code); err != nil {
			return err
		}
	}
	if f.Data == nil {
		b.buf.WriteString("}\n")
		return nil
	}
	return b.object(f.Data)
}

// otherMethod answers a request whose method the path doesn't have (rest-api.md, sections 1.1 and 1.3).
func (c *call) otherMethod(ctx context.Context, p *path) {
	c.w.Header()["Allow"] = p.allow
	if c.r.Method == http.MethodOptions {
		c.status = http.StatusNoContent
		c.w.WriteHeader(http.StatusNoContent)
		return
	}
	if e := p.endpoints[http.MethodPost]; c.r.Method == http.MethodHead && e != nil && e.ByKey() {
		c.status = http.StatusOK // third parties such as Trello try an address in this way before they take it
		c.w.WriteHeader(http.StatusOK)
		return
	}
	c.writeFault(ctx, errMethod.With("allowed_methods", p.methods))
}
