package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// oldestRedis is the oldest supported major version of Redis, the first with functions.
const oldestRedis = 7

// ownerTime is the timeout of [Redis.CheckOwner] and [Redis.ID]. What isn't known by then is no reason not to start.
const ownerTime = 5 * time.Second

// probe is a library that is loaded and removed again, to check whether that is allowed.
const probe = "#!lua name=chatserver_preflight\nredis.register_function('chatserver_preflight', function() return 1 end)\n"

// Preflight checks that Redis meets this package's requirements. If not, the error is a sentence that says what to do. It
// leaves nothing behind.
func Preflight(ctx context.Context, cfg Config) error {
	client, err := Connect(cfg)
	if err != nil {
		return err
	}
	defer client.Close()     //nolint:errcheck // nothing is left to be said
	reached := atomic.Bool{} // the servers of a cluster are asked concurrently
	err = onServers(ctx, client, func(ctx context.Context, server *redis.Client) error {
		reached.Store(true)
		return preflight(ctx, server)
	})
	if err != nil && !reached.Load() {
		return fmt.Errorf("the Redis Cluster can't be reached: check that it runs, and correct REDIS_URL: %w", err)
	}
	return err
}

// CheckOwner checks that no server with another database uses this Redis at present: its events would come to the queues of
// this one's users, and theirs to nobody. database is what [Cursor.Incarnation] begins with, up to the dot; empty: there is
// none yet. What a server that has stopped left behind is no problem.
func (r *Redis) CheckOwner(ctx context.Context, database string) error {
	ctx, cancel := context.WithTimeout(ctx, ownerTime)
	defer cancel()
	for shard := range someShards {
		left, err := r.LeaseLeft(ctx, shard)
		if err != nil || left == 0 { // one of a cluster's servers may be down, and others be asked
			continue
		}
		cursor, ok, err := r.Cursor(ctx, shard)
		if err != nil || !ok {
			continue
		}
		if other, _, _ := strings.Cut(cursor.Incarnation, "."); other != database {
			return errors.New("another server, which has another database, uses the same Redis: correct REDIS_URL, so that each has its own, " +
				"or another database of it (redis://…/1); if that is this server before its database was replaced, stop it first")
		}
	}
	return nil
}

// idKey returns the key of the id of a Redis.
func idKey() string { return prefix(0) + ":id" }

// ID returns the id that [Redis.MakeID] has set; empty: none.
func (r *Redis) ID(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ownerTime)
	defer cancel()
	id, err := r.client.Get(ctx, idKey()).Result()
	if err != nil && !isNil(err) {
		return "", fmt.Errorf("read the id of Redis: %w", err)
	}
	return id, nil
}

// MakeID returns an id of this Redis, which it keeps until it is emptied. A replica that replaces it has the same.
func (r *Redis) MakeID(ctx context.Context) (string, error) {
	if err := r.client.SetNX(ctx, idKey(), rand.Text(), 0).Err(); err != nil {
		return "", fmt.Errorf("set the id of Redis: %w", err)
	}
	return r.ID(ctx)
}

// preflight checks one server.
func preflight(ctx context.Context, client *redis.Client) error {
	if err := client.Ping(ctx).Err(); err != nil {
		return explain(client, err)
	}
	info, err := client.InfoMap(ctx, "server", "memory").Result()
	if err != nil {
		return explain(client, err)
	}
	version := info["Server"]["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < oldestRedis {
		return fmt.Errorf("%s has version %s: %d or later is needed", at(client), version, oldestRedis)
	}
	// Other policies spare keys without an expiry: a cursor, or a list of queues, without which queues would lack events.
	if policy := info["Memory"]["maxmemory_policy"]; strings.HasPrefix(policy, "allkeys-") {
		return fmt.Errorf("%s may delete any key when its memory is full (%s): set its maxmemory-policy to noeviction", at(client), policy)
	}
	if err := client.FunctionLoadReplace(ctx, probe).Err(); err != nil {
		if strings.HasPrefix(err.Error(), "READONLY") {
			return fmt.Errorf("%s accepts no writes: use the address of the primary server, not of a replica: %w", at(client), err)
		}
		if isFull(err) {
			return explain(client, err)
		}
		return fmt.Errorf("%s doesn't allow functions: grant its user the rights +function and +fcall (`acl setuser … +@scripting`): %w", at(client), err)
	}
	if err := client.FunctionDelete(ctx, "chatserver_preflight").Err(); err != nil {
		return fmt.Errorf("remove a function from %s: %w", at(client), err)
	}
	return nil
}

// explain returns an error of any command as a sentence that says what to do.
func explain(client *redis.Client, err error) error {
	text, refused := err.Error(), redis.Error(nil)
	switch {
	case strings.HasPrefix(text, "NOAUTH"), strings.HasPrefix(text, "WRONGPASS"):
		return fmt.Errorf("%s refuses the user or the password: correct REDIS_URL: %w", at(client), err)
	case strings.HasPrefix(text, "OOM "):
		return fmt.Errorf("%s has no memory left: raise its maxmemory: %w", at(client), err)
	case isFull(err):
		return fmt.Errorf("%s can't write to its disk: look into its log, and free some of the disk, or enlarge it: %w", at(client), err)
	case strings.HasPrefix(text, "NOPERM"):
		return fmt.Errorf("the user of %s lacks rights: grant it ~* &* +@all -@admin +info: %w", at(client), err)
	case strings.HasPrefix(text, "ERR DB index"):
		return fmt.Errorf("%s has no such database: correct the number at the end of REDIS_URL: %w", at(client), err)
	case errors.As(err, &refused):
		return fmt.Errorf("%s responds with an error: %w", at(client), err)
	}
	return fmt.Errorf("%s can't be reached: check that it runs, and correct REDIS_URL (rediss:// with TLS, redis:// without): %w", at(client), err)
}

// at returns a text for error messages that identifies the server of a client.
func at(client *redis.Client) string {
	if addr := client.Options().Addr; addr != "FailoverClient" { // the library's name for the server behind sentinels
		return "Redis at " + addr
	}
	return "the Redis that the sentinels name"
}
