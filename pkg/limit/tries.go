package limit

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// Tries counts tries at something secret in Redis, for all replicas together. Unlike [Shared] it fails where Redis can't
// be reached: nobody may guess while nobody counts. It is safe for concurrent use.
type Tries struct {
	limit   redis_rate.Limit
	limiter *redis_rate.Limiter
	name    string
}

// NewTries counts by a rule; name keeps its keys apart from those of others. The client stays the caller's to close.
func NewTries(client redis.UniversalClient, name string, rule Rule) *Tries {
	return &Tries{
		limit:   redis_rate.Limit{Rate: rule.Calls, Burst: rule.Calls, Period: rule.Window},
		limiter: redis_rate.NewLimiter(client), name: name,
	}
}

// Count counts a try under a key. It returns how long to wait before the next where there were too many; this one didn't
// count then.
func (t *Tries) Count(ctx context.Context, key string) (wait time.Duration, err error) {
	result, err := t.limiter.Allow(ctx, t.key(key), t.limit)
	if err != nil {
		return 0, fmt.Errorf("count a try: %w", err)
	}
	return max(0, result.RetryAfter), nil
}

// Wait returns how long to wait before the next try under a key, and counts none; 0: there may be one.
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

// Forget forgets all tries under a key.
func (t *Tries) Forget(ctx context.Context, key string) error {
	if err := t.limiter.Reset(ctx, t.key(key)); err != nil {
		return fmt.Errorf("forget tries: %w", err)
	}
	return nil
}

func (t *Tries) key(key string) string { return "try:" + t.name + ":" + key }
