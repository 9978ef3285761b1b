package limit

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// Tries limits attempts at guessing a secret, over all replicas, by counting them in Redis. Unlike [Shared], it fails if Redis
// can't be reached, since attempts must not go uncounted. It is safe for concurrent use.
type Tries struct {
	limit   redis_rate.Limit
	limiter *redis_rate.Limiter
	name    string
}

// NewTries returns a counter. name distinguishes its keys from those of other counters. The caller closes the client.
func NewTries(client redis.UniversalClient, name string, rule Rule) *Tries {
	return &Tries{limit: rule.limit(), limiter: redis_rate.NewLimiter(client), name: name}
}

// Count counts a try under a key. If there were too many, it returns how long to wait before the next one, and doesn't count
// this one.
func (t *Tries) Count(ctx context.Context, key string) (wait time.Duration, err error) {
	result, err := t.limiter.Allow(ctx, t.key(key), t.limit)
	if err != nil {
		return 0, fmt.Errorf("count a try: %w", err)
	}
	return max(0, result.RetryAfter), nil
}

// Wait returns how long to wait before the next try under a key, without counting one. 0: a try is allowed now.
func (t *Tries) Wait(ctx context.Context, key string) (time.Duration, error) {
	result, err := t.limiter.AllowN(ctx, t.key(key), t.limit, 0)
	if err != nil {
		return 0, fmt.Errorf("look up tries: %w", err)
	}
	if result.Remaining > 0 {
		return 0, nil
	}
	return max(time.Second, result.ResetAfter-t.limit.Period+t.limit.Period/time.Duration(t.limit.Rate)), nil
}

// Forget deletes all tries under a key.
func (t *Tries) Forget(ctx context.Context, key string) error {
	if err := t.limiter.Reset(ctx, t.key(key)); err != nil {
		return fmt.Errorf("forget tries: %w", err)
	}
	return nil
}

func (t *Tries) key(key string) string { return "try:" + t.name + ":" + key }
