package queue

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

//go:embed function.lua
var library string

// Config is where Redis is.
type Config struct {
	// URL is redis://… or rediss://… or unix://…; Redis 7 or later.
	URL string `env:"REDIS_URL,unset"`
}

// Connect opens a client for Config; it connects when it is first used.
func Connect(cfg Config) (*redis.Client, error) {
	options, err := redis.ParseURL(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read REDIS_URL: %w", err)
	}
	logging.Disable() // for the whole process: what fails is in the errors of the calls, which are logged with their context
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(options), nil
}

// Redis is the queues of all shards. It is safe for concurrent use.
type Redis struct{ client *redis.Client }

// New uses client, which stays the caller's to close.
func New(client *redis.Client) *Redis { return &Redis{client} }

// Load installs the functions that this package calls. They stay installed; a Redis that lost them
// gets them again with the first call that misses them.
func (r *Redis) Load(ctx context.Context) error {
	if err := r.client.FunctionLoadReplace(ctx, library).Err(); err != nil {
		return fmt.Errorf("load functions into Redis (7 or later is needed): %w", err)
	}
	return nil
}

// Ping reports whether Redis answers.
func (r *Redis) Ping(ctx context.Context) error { return r.client.Ping(ctx).Err() }

// call runs one of our functions on a shard. routing is the key that is passed as such.
func (r *Redis) call(ctx context.Context, function string, shard int, routing string, args ...any) *redis.Cmd {
	name := "chatserver1_" + function
	keys := []string{prefix(shard) + routing}
	all := make([]any, 0, 1+len(args))
	all = append(append(all, prefix(shard)), args...)
	cmd := r.client.FCall(ctx, name, keys, all...)
	if cmd.Err() != nil && strings.Contains(cmd.Err().Error(), "Function not found") {
		if err := r.Load(ctx); err != nil {
			cmd.SetErr(err)
			return cmd
		}
		cmd = r.client.FCall(ctx, name, keys, all...)
	}
	return cmd
}

// prefix begins all keys of a shard; the braces make them share a slot of a Redis Cluster.
func prefix(shard int) string { return "{s" + strconv.Itoa(shard) + "}" }

// asInt reads an integer that a function gave, whether Redis sent it as a number or as text.
func asInt(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case string:
		return strconv.ParseInt(v, 10, 64)
	}
	return 0, fmt.Errorf("redis gave a %T where a number was due", v)
}

func isNil(err error) bool { return errors.Is(err, redis.Nil) }
