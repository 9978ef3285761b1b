package endpoint

import (
	"context"
	"log/slog"
	"math"
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

// limit counts the call and sets the headers about the limit. If the limiter
// fails, the call continues: a limit that can't be checked must not stop the whole service.
func (c *call) limit(ctx context.Context) error {
	limiter := c.router.cfg.Limiter
	if c.endpoint.about.CountedLocally {
		limiter = c.router.cfg.LocalLimiter
	}
	d, err := limiter.Allow(ctx, c.who.User, c.router.cfg.Now())
	if err != nil {
		if ctx.Err() == nil {
			c.logger().LogAttrs(ctx, slog.LevelWarn, "rate limit unknown", slog.Any("error", err))
		}
		return nil
	}
	h := c.w.Header()
	h["X-Ratelimit-Limit"] = []string{strconv.Itoa(d.Limit)}
	h["X-Ratelimit-Remaining"] = []string{strconv.Itoa(d.Remaining)}
	h["X-Ratelimit-Reset"] = []string{strconv.FormatInt(d.Reset.Unix(), 10)}
	if d.Allowed {
		return nil
	}
	wait := math.Round(d.RetryAfter.Seconds()*1000) / 1000
	h["X-Ratelimit-Remaining"] = []string{"0"}
	h["Retry-After"] = []string{strconv.FormatFloat(wait, 'f', -1, 64)}
	return errRateLimit.With("retry-after", wait)
}
