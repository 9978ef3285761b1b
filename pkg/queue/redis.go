package queue

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/fault"
)

// library is the name of the library of functions, and the prefix of their names. function.lua says when it changes.
const library = "chatserver2"

//go:embed function.lua
var functions string

// Redis is the queues of all shards. It is safe for concurrent use.
type Redis struct {
	client  redis.UniversalClient
	silence time.Duration // timeout of a subscription without data
}

// New returns the queues in the Redis of client. The caller closes the client.
func New(client redis.UniversalClient) *Redis { return &Redis{client, silence} }

// Load installs the functions that this package calls. They stay installed. If Redis has lost them, or a server of a
// cluster couldn't be reached, the first call that misses them installs them again. If there are several servers, Load
// succeeds if one of them has the functions.
func (r *Redis) Load(ctx context.Context) error {
	loaded := atomic.Bool{} // servers are asked concurrently
	err := onServers(ctx, r.client, func(ctx context.Context, server *redis.Client) error {
		err := load(ctx, server)
		if err == nil {
			loaded.Store(true)
		}
		return err
	})
	if loaded.Load() {
		return nil
	}
	return err
}

func load(ctx context.Context, server redis.Cmdable) error {
	if err := server.FunctionLoadReplace(ctx, functions).Err(); err != nil {
		return fmt.Errorf("load functions into Redis (7 or later is needed): %w", err)
	}
	return nil
}

// pingTime is the timeout of Ping for one of several servers. someShards is the number of shards that are asked about all.
const (
	pingTime   = 500 * time.Millisecond
	someShards = 16
)

// Ping returns an error if Redis doesn't answer. In a Redis Cluster, one server that has a shard must answer, since a lost
// server only stops the events of its own shards.
func (r *Redis) Ping(ctx context.Context) error {
	spread, ok := r.client.(*redis.ClusterClient)
	if !ok {
		return r.client.Echo(ctx, "ready").Err() // unlike reads, the command PING fails while the disk is full
	}
	var err error
	asked := map[*redis.Client]bool{}
	for _, shard := range rand.Perm(someShards) { //nolint:gosec // chance, not secrecy
		server, unknown := spread.MasterForKey(ctx, prefix(shard))
		if unknown != nil {
			return fmt.Errorf("look for the servers of the Redis Cluster: %w", unknown)
		}
		if asked[server] {
			continue
		}
		asked[server] = true
		asking, cancel := context.WithTimeout(ctx, pingTime)
		err = spread.Exists(asking, prefix(shard)+":cursor").Err()
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// ErrFull is the fault while Redis refuses writes for lack of memory or disk space. Nothing is done then.
var ErrFull = fault.New(fault.Unavailable, fault.CodeNone, "The server can't do this, as its memory or disk is full: try again later, or tell its administrator")

// isFull reports whether Redis refuses writes, because its memory (OOM) or its disk (MISCONF) is full.
func isFull(err error) bool {
	return err != nil && (strings.HasPrefix(err.Error(), "OOM ") || strings.HasPrefix(err.Error(), "MISCONF "))
}

// ErrUnavailable is the fault while Redis can't be reached, starts, or is being replaced. The call may or may not have had
// an effect.
var ErrUnavailable = fault.New(fault.Unavailable, fault.CodeNone, "The server can't reach its Redis: try again in a few seconds")

// isGone reports whether the connection failed, or Redis refused because it is starting or busy, isn't the primary server,
// or is moving the shard to another server.
func isGone(err error) bool {
	reply := redis.Error(nil)
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return false
	case !errors.As(err, &reply):
		return true
	}
	word, _, _ := strings.Cut(reply.Error(), " ")
	return slices.Contains([]string{"LOADING", "BUSY", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "ASK", "MOVED", "NOREPLICAS"}, word)
}

// answerable returns the fault for clients if err means that Redis is full or can't be reached, and err otherwise.
func answerable(err error) error {
	switch {
	case isFull(err):
		return ErrFull.Wrap(err)
	case isGone(err) && fault.Of(err) == nil:
		return ErrUnavailable.Wrap(err)
	}
	return err
}

// Check checks that Redis accepts writes, on each server with a part of the data. If not, the error is a sentence that says
// what to do. It leaves nothing behind.
func (r *Redis) Check(ctx context.Context) error { return onServers(ctx, r.client, preflight) }

// call runs a function on a shard, and names both in its error. Its keys determine the server. One of them never exists, so
// that a Redis Cluster refuses the call (TRYAGAIN) while it moves the shard: it does so if a server lacks some of the keys
// of a call, and no server has all keys of the shard then.
func (r *Redis) call(ctx context.Context, function string, shard int, args ...any) *redis.Cmd {
	name := library + "_" + function
	keys := []string{prefix(shard) + ":cursor", prefix(shard) + ":none"}
	all := make([]any, 0, 1+len(args))
	all = append(append(all, prefix(shard)), args...)
	cmd := r.client.FCall(ctx, name, keys, all...)
	if cmd.Err() != nil && strings.Contains(cmd.Err().Error(), "Function not found") {
		server, err := serverOf(ctx, r.client, shard)
		if err == nil {
			err = load(ctx, server)
		}
		if err != nil {
			cmd.SetErr(err)
			return cmd
		}
		cmd = r.client.FCall(ctx, name, keys, all...)
	}
	if function != repair && r.repaired(ctx, shard, cmd.Err()) {
		cmd = r.client.FCall(ctx, name, keys, all...)
	}
	if err := answerable(cmd.Err()); err != nil {
		cmd.SetErr(fmt.Errorf("call %s on shard %d of Redis: %w", function, shard, err))
	}
	return cmd
}

// repair is the function that removes unusable keys.
const repair = "repair"

// errVersion says that the version of a shard's registry isn't a number.
var errVersion = errors.New("the version of the registry isn't a number")

// repaired removes the keys of a shard that nothing can be done with, if one of them is why a call failed, and reports whether it
// removed any: then the call may be repeated. Somebody else may have written them.
func (r *Redis) repaired(ctx context.Context, shard int, err error) bool {
	if !redis.HasErrorPrefix(err, "WRONGTYPE") && !errors.Is(err, errVersion) {
		return false
	}
	removed, err := r.call(ctx, repair, shard).Int()
	return err == nil && removed > 0
}

// prefix returns the prefix of all keys of a shard. The braces make them share a slot of a Redis Cluster.
func prefix(shard int) string { return "{s" + strconv.Itoa(shard) + "}" }

// asInt returns an integer result of a function, which Redis sends as a number or as text.
func asInt(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case string:
		return strconv.ParseInt(v, 10, 64)
	}
	return 0, fmt.Errorf("Redis returned a %T in place of a number", v)
}

func isNil(err error) bool { return errors.Is(err, redis.Nil) }
