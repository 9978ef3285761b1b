package limit

import (
	"context"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
)

const (
	// callTimeout is the timeout of counting a call in Redis.
	callTimeout = time.Second
	// pause is how long Redis, or one of its servers, isn't used after it failed.
	pause = time.Second
	// complainEvery is the time between two log entries about a failing Redis.
	complainEvery = time.Minute
)

// Shared limits calls of all replicas together, by counting them in Redis. It is safe for concurrent use.
type Shared struct {
	rule     Rule
	client   redis.UniversalClient
	limit    redis_rate.Limit
	limiter  *redis_rate.Limiter
	reserved *reservations
	logger   *slog.Logger

	mutex      sync.Mutex
	askAgain   map[*redis.Client]time.Time // by server of a Redis Cluster; otherwise, the only key is nil
	complained time.Time
}

// NewShared returns a limiter. The caller closes the client.
func NewShared(client redis.UniversalClient, rule Rule, logger *slog.Logger) *Shared {
	return &Shared{
		rule:     rule,
		client:   client,
		limit:    rule.limit(),
		limiter:  redis_rate.NewLimiter(client),
		reserved: newReservations(rule),
		logger:   logger,

		askAgain: map[*redis.Client]time.Time{},
	}
}

// Allow counts a call. The limit uses Redis's clock; now is only for the times in the decision.
func (s *Shared) Allow(ctx context.Context, user id.User, now time.Time) Decision {
	uncounted := Decision{Limit: s.rule.Calls, Remaining: s.rule.Calls, Reset: now, Allowed: true}
	key := "user:" + strconv.FormatInt(int64(user), 10)
	server := s.server(ctx, key)
	if s.paused(server, now) {
		return uncounted
	}
	d, counted, count := s.reserved.take(user, now)
	if counted {
		return d
	}
	counting, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	result, err := s.limiter.AllowAtMost(counting, key, s.limit, count)
	if err != nil {
		s.failed(ctx, server, now, err)
		return uncounted
	}
	d = Decision{
		Limit: s.rule.Calls, Remaining: result.Remaining, Reset: now.Add(result.ResetAfter),
		RetryAfter: max(0, result.RetryAfter), Allowed: result.Allowed > 0,
	}
	if d.Allowed {
		s.reserved.put(user, now, result.Allowed, d)
		d.Remaining += result.Allowed - 1
	}
	return d
}

// server returns the server of a Redis Cluster that has a key, or nil if there is only one server.
func (s *Shared) server(ctx context.Context, key string) *redis.Client {
	spread, ok := s.client.(*redis.ClusterClient)
	if !ok {
		return nil
	}
	server, _ := spread.MasterForKey(ctx, "rate:"+key) // the key of redis_rate; if it fails, so does counting
	return server
}

func (s *Shared) paused(server *redis.Client, now time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return now.Before(s.askAgain[server])
}

// failed records that Redis didn't answer, unless the caller's context has ended.
func (s *Shared) failed(ctx context.Context, server *redis.Client, now time.Time, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mutex.Lock()
	maps.DeleteFunc(s.askAgain, func(_ *redis.Client, at time.Time) bool { return at.Before(now) })
	s.askAgain[server] = now.Add(pause)
	complain := s.complained.IsZero() || now.Sub(s.complained) >= complainEvery
	if complain {
		s.complained = now
	}
	s.mutex.Unlock()
	if complain {
		s.logger.WarnContext(ctx, "failed to read rate limits: requests are not counted", slog.Any("error", err))
	}
}
