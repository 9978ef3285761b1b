package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Throttle limits operations to one per period, over all replicas. It is safe for
// concurrent use.
type Throttle struct{ client redis.UniversalClient }

// NewThrottle returns a Throttle. The caller closes the client.
func NewThrottle(client redis.UniversalClient) *Throttle { return &Throttle{client} }

// First reports whether there was no call with key within the period.
func (t *Throttle) First(ctx context.Context, key string, period time.Duration) (bool, error) {
	err := t.client.SetArgs(ctx, "throttle:"+key, "", redis.SetArgs{Mode: "NX", TTL: period}).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("throttle: %w", err)
	default:
		return true, nil
	}
}
