package endpoint

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
)

// Limiter counts the calls of accounts (rest-api.md, section 1.6).
type Limiter interface {
	// Allow counts a call at the time now and decides whether it is allowed. Refused calls don't count. A limiter
	// that can't count allows all calls.
	Allow(ctx context.Context, user id.User, now time.Time) limit.Decision
}

// quota is the data for an answer's headers about rate limits; the zero value: no headers.
type quota struct {
	limit, remaining int
	reset            int64 // Unix time in seconds
}

func (q quota) set(h http.Header) {
	if q == (quota{}) {
		return
	}
	h["X-Ratelimit-Limit"] = []string{strconv.Itoa(q.limit)}
	h["X-Ratelimit-Remaining"] = []string{strconv.Itoa(q.remaining)}
	h["X-Ratelimit-Reset"] = []string{strconv.FormatInt(q.reset, 10)}
}

// append is set for an encoded header.
func (q quota) append(to *bytes.Buffer) {
	if q == (quota{}) {
		return
	}
	appendNumber(to, "X-Ratelimit-Limit: ", int64(q.limit))
	appendNumber(to, "X-Ratelimit-Remaining: ", int64(q.remaining))
	appendNumber(to, "X-Ratelimit-Reset: ", q.reset)
}

func appendNumber(to *bytes.Buffer, field string, value int64) {
	to.WriteString(field)
	to.Write(strconv.AppendInt(to.AvailableBuffer(), value, 10))
	to.WriteString("\r\n")
}

// allow counts the call.
func (c *call) allow(ctx context.Context, now time.Time) limit.Decision {
	limiter := c.router.cfg.Limiter
	if c.endpoint.about.CountedLocally {
		limiter = c.router.cfg.LocalLimiter
	}
	d := limiter.Allow(ctx, c.who.User, now)
	c.quota = quota{d.Limit, d.Remaining, d.Reset.Unix()}
	return d
}

// limit counts the call and sets the headers about the limit.
func (c *call) limit(ctx context.Context) error {
	d := c.allow(ctx, c.router.cfg.Now())
	h := c.w.Header()
	c.quota.set(h)
	if d.Allowed {
		return nil
	}
	wait := math.Round(d.RetryAfter.Seconds()*1000) / 1000
	h["X-Ratelimit-Remaining"] = []string{"0"}
	return errRateLimit.With(retryAfter, wait)
}
