package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Limits of [KnownNetworks], for each account.
const (
	knownLife = 30 * 24 * time.Hour
	maxKnown  = 20 // the latest
)

// KnownNetworks remembers, over all replicas, the networks that people have signed in from lately. It keeps them in Redis, for 30
// days. It is safe for concurrent use.
type KnownNetworks struct {
	client redis.UniversalClient
	now    func() time.Time
}

// NewKnownNetworks returns the networks that Redis has. The caller closes the client.
func NewKnownNetworks(client redis.UniversalClient, now func() time.Time) *KnownNetworks {
	return &KnownNetworks{client, now}
}

// Note remembers that somebody has signed in to an account from a network.
func (k *KnownNetworks) Note(ctx context.Context, account, network string) error {
	key := knownKey(account)
	_, err := k.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.ZAdd(ctx, key, redis.Z{Score: float64(k.now().Unix()), Member: network})
		p.ZRemRangeByRank(ctx, key, 0, -maxKnown-1)
		p.Expire(ctx, key, knownLife)
		return nil
	})
	if err != nil {
		return fmt.Errorf("record where an account signs in: %w", err)
	}
	return nil
}

// Has reports whether somebody has signed in to an account from a network in the last 30 days, and it is among the latest 20.
func (k *KnownNetworks) Has(ctx context.Context, account, network string) (bool, error) {
	last, err := k.client.ZScore(ctx, knownKey(account), network).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read where an account has signed in: %w", err)
	}
	return k.now().Sub(time.Unix(int64(last), 0)) < knownLife, nil
}

func knownKey(account string) string { return "familiar:" + account }
