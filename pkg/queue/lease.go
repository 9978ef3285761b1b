package queue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// leaseFree is published in a shard's log channel when its lease is released.
const leaseFree = "free"

const (
	// replicasKey is the set of live replicas, by when each was seen last.
	replicasKey = "replicas"
	// wantedKey exists while a replica wants more shards than it has.
	wantedKey = "replicas:wanted"
)

// Lease tries to acquire or renew the lease of a shard for a replica. Only its holder dispatches the
// shard. That saves work; correctness doesn't depend on it.
func (r *Redis) Lease(ctx context.Context, shard int, replica string, ttl time.Duration) (bool, error) {
	got, err := r.call(ctx, "lease", shard, replica, ttl.Milliseconds()).Int()
	return got == 1, err
}

// LeaseLeft returns the remaining time of a shard's lease unless its holder renews it; 0: it is free.
func (r *Redis) LeaseLeft(ctx context.Context, shard int) (time.Duration, error) {
	left, err := r.client.PTTL(ctx, prefix(shard)+":lease").Result()
	if err != nil {
		return 0, fmt.Errorf("look for lease of shard %d: %w", shard, err)
	}
	return max(0, left), nil
}

// Release ends a lease, and notifies the other replicas, so that they don't wait for its expiry.
func (r *Redis) Release(ctx context.Context, shard int, replica string) error {
	if err := r.call(ctx, "release", shard, replica).Err(); err != nil {
		return err
	}
	server, err := serverOf(ctx, r.client, shard)
	if err == nil {
		err = server.Publish(ctx, logChannel(shard), leaseFree).Err()
	}
	if err != nil {
		return fmt.Errorf("report that the lease of shard %d is free: %w", shard, err)
	}
	return nil
}

// Join records, for the time ttl, that a replica is alive, and whether it wants more shards than it has. It returns the
// number of live replicas, and whether any of them wants shards.
func (r *Redis) Join(ctx context.Context, replica string, now time.Time, ttl time.Duration, wants bool) (replicas int, wanted bool, err error) {
	pipe := r.client.Pipeline()
	pipe.ZAdd(ctx, replicasKey, redis.Z{Score: float64(now.UnixMilli()), Member: replica})
	pipe.ZRemRangeByScore(ctx, replicasKey, "-inf", strconv.FormatInt(now.Add(-ttl).UnixMilli(), 10))
	if wants {
		pipe.Set(ctx, wantedKey, replica, ttl)
	}
	count, anybody := pipe.ZCard(ctx, replicasKey), pipe.Exists(ctx, wantedKey)
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, false, fmt.Errorf("note replica: %w", err)
	}
	return int(count.Val()), anybody.Val() > 0, nil
}

// Leave records that a replica has ended.
func (r *Redis) Leave(ctx context.Context, replica string) error {
	if err := r.client.ZRem(ctx, replicasKey, replica).Err(); err != nil {
		return fmt.Errorf("remove replica: %w", err)
	}
	return nil
}
