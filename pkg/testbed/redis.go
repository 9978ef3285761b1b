package testbed

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/localserver"
)

//nolint:gochecknoglobals // servers are shared by the tests of a process, one after the other.
var idle struct {
	mu      sync.Mutex
	servers []*localserver.Redis
}

// Redis returns the URL of an empty Redis server, for redis.ParseURL, for exclusive use until the test ends.
func Redis(t testing.TB) string {
	t.Helper()
	server := takeRedis()
	if server == nil {
		var err error
		// The server ends with the process, not with this test.
		server, err = localserver.StartRedis(context.WithoutCancel(t.Context()), localserver.Options{})
		if err != nil {
			t.Fatalf("start Redis: %v", err)
		}
	}
	t.Cleanup(func() { returnRedis(t, server) })
	return server.URL()
}

func takeRedis() *localserver.Redis {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	if len(idle.servers) == 0 {
		return nil
	}
	last := len(idle.servers) - 1
	server := idle.servers[last]
	idle.servers = idle.servers[:last]
	return server
}

// returnRedis empties a server for the next test, or stops it if that fails.
func returnRedis(t testing.TB, server *localserver.Redis) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
	defer cancel()
	if err := emptyRedis(ctx, server.URL()); err != nil {
		t.Logf("Redis is not used again: %v", err)
		if err := server.Stop(); err != nil {
			t.Errorf("stop Redis: %v", err)
		}
		return
	}
	idle.mu.Lock()
	defer idle.mu.Unlock()
	idle.servers = append(idle.servers, server)
}

func emptyRedis(ctx context.Context, url string) error {
	options, err := redis.ParseURL(url)
	if err != nil {
		return err
	}
	client := redis.NewClient(options)
	_, err = client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		// Connections that a test has left open must not receive what the next one publishes.
		pipe.ClientKillByFilter(ctx, "TYPE", "pubsub")
		pipe.ClientKillByFilter(ctx, "TYPE", "normal", "SKIPME", "yes")
		pipe.FlushAll(ctx)
		pipe.ScriptFlush(ctx)
		pipe.FunctionFlush(ctx)
		pipe.ConfigResetStat(ctx)
		return nil
	})
	if err != nil {
		_ = client.Close()
		return err
	}
	return client.Close()
}
