package limit

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
)

const (
	// pause is how long Redis is left alone after it failed.
	pause = time.Second
	// complainEvery is how often a failing Redis is logged.
	complainEvery = time.Minute
)

// Shared counts in Redis, for all replicas together. It is safe for concurrent use.
type Shared struct {
	rule    Rule
	limit   redis_rate.Limit
	limiter *redis_rate.Limiter
	ahead   *advances
	logger  *slog.Logger

	mutex      sync.Mutex
	askAgain   time.Time
	complained time.Time
}

// NewShared makes a limiter by a rule; the client stays the caller's to close.
func NewShared(client redis.UniversalClient, rule Rule, logger *slog.Logger) *Shared {
	return &Shared{
		rule:    rule,
		limit:   redis_rate.Limit{Rate: rule.Calls, Burst: rule.Calls, Period: rule.Window},
		limiter: redis_rate.NewLimiter(client),
		ahead:   newAdvances(rule),
		logger:  logger,
	}
}

// Allow counts a call. What counts as time is Redis' clock; now is for what the decision says.
func (s *Shared) Allow(ctx context.Context, user id.User, now time.Time) Decision {
	uncounted := Decision{Limit: s.rule.Calls, Remaining: s.rule.Calls, Reset: now, Allowed: true}
	if s.paused(now) {
		return uncounted
	}
	d, counted, count := s.ahead.take(user, now)
	if counted {
		return d
	}
	result, err := s.limiter.AllowAtMost(ctx, "user:"+strconv.FormatInt(int64(user), 10), s.limit, count)
	if err != nil {
		s.failed(ctx, now, err)
		return uncounted
	}
	d = Decision{
		Limit: s.rule.Calls, Remaining: result.Remaining, Reset: now.Add(result.ResetAfter),
		RetryAfter: max(0, result.RetryAfter), Allowed: result.Allowed > 0,
	}
	if d.Allowed {
		s.ahead.put(user, now, result.Allowed, d)
		d.Remaining += result.Allowed - 1
	}
	return d
}

func (s *Shared) paused(now time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return now.Before(s.askAgain)
}

// failed notes that Redis didn't answer. A caller that went away says nothing about Redis.
func (s *Shared) failed(ctx context.Context, now time.Time, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mutex.Lock()
	s.askAgain = now.Add(pause)
	complain := s.complained.IsZero() || now.Sub(s.complained) >= complainEvery
	if complain {
		s.complained = now
	}
	s.mutex.Unlock()
	if complain {
		s.logger.WarnContext(ctx, "failed to read rate limits: requests are not counted", slog.Any("error", err))
	}
}
