package endpoint

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"chatserver.dev/pkg/id"
)

// Limiter counts the calls of accounts (rest-api.md, section 1.6).
type Limiter interface {
	// Allow counts a call at the moment now and says whether it may go on; a refused call doesn't
	// count.
	Allow(ctx context.Context, user id.User, now time.Time) (Decision, error)
}

// Decision is what a [Limiter] says to one call.
type Decision struct {
	Limit      int           // calls in the rule's window
	Remaining  int           // calls left
	Reset      time.Time     // when all of Limit are left again
	RetryAfter time.Duration // how long to wait; for a refused call
	Allowed    bool
}

// quota is what an answer says of rate limits; the zero value says nothing.
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

// append is set for a header in the form in which it is sent.
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
func (c *call) allow(ctx context.Context, now time.Time) (Decision, error) {
	limiter := c.router.cfg.Limiter
	if c.endpoint.about.CountedLocally {
		limiter = c.router.cfg.LocalLimiter
	}
	d, err := limiter.Allow(ctx, c.who.User, now)
	if err == nil {
		c.quota = quota{d.Limit, d.Remaining, d.Reset.Unix()}
	}
	return d, err
}

// limit counts the call and sets the headers about the limit. If the limiter
// fails, the call continues: a limit that can't be checked must not stop the whole service.
func (c *call) limit(ctx context.Context) error {
	d, err := c.allow(ctx, c.router.cfg.Now())
	if err != nil {
		if ctx.Err() == nil {
			c.logger().LogAttrs(ctx, slog.LevelWarn, "rate limit unknown", slog.Any("error", err))
		}
		return nil
	}
	h := c.w.Header()
	c.quota.set(h)
	if d.Allowed {
		return nil
	}
	wait := math.Round(d.RetryAfter.Seconds()*1000) / 1000
	h["X-Ratelimit-Remaining"] = []string{"0"}
	h["Retry-After"] = []string{strconv.FormatFloat(wait, 'f', -1, 64)}
	return errRateLimit.With("retry-after", wait)
}
