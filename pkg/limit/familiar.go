package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Limits of [Familiar], for each owner.
const (
	familiarLife = 30 * 24 * time.Hour
	maxFamiliar  = 20 // the latest
)

// Familiar remembers, over all replicas, where owners have been lately, such as the networks that somebody has signed in from. It
// keeps them in Redis, for 30 days. It is safe for concurrent use.
type Familiar struct {
	client redis.UniversalClient
	now    func() time.Time
}

// NewFamiliar returns a memory. The caller closes the client.
func NewFamiliar(client redis.UniversalClient, now func() time.Time) *Familiar {
	return &Familiar{client, now}
}

// Note remembers that an owner has been at a place.
func (f *Familiar) Note(ctx context.Context, owner, place string) error {
	key := familiarKey(owner)
	_, err := f.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.ZAdd(ctx, key, redis.Z{Score: float64(f.now().Unix()), Member: place})
		p.ZRemRangeByRank(ctx, key, 0, -maxFamiliar-1)
		p.Expire(ctx, key, familiarLife)
		return nil
	})
	if err != nil {
		return fmt.Errorf("record where an account signs in: %w", err)
	}
	return nil
}

// Has reports whether an owner has been at a place in the last 30 days.
func (f *Familiar) Has(ctx context.Context, owner, place string) (bool, error) {
	last, err := f.client.ZScore(ctx, familiarKey(owner), place).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read where an account has signed in: %w", err)
	}
	return f.now().Sub(time.Unix(int64(last), 0)) < familiarLife, nil
}

func familiarKey(owner string) string { return "familiar:" + owner }
