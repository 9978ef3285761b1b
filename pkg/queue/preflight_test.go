package queue_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

func TestPreflight(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	at := testbed.Redis(t)
	if err := queue.Preflight(t.Context(), queue.Config{URL: at}); err != nil {
		t.Error(err)
	}
	client, err := queue.Connect(queue.Config{URL: at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if left, err := client.FunctionList(t.Context(), redis.FunctionListQuery{}).Result(); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	for name, c := range map[string]struct{ url, want string }{
		"unreachable": {"redis://:hunter2@127.0.0.1:1", "Redis at 127.0.0.1:1 can't be reached: check that it runs"},
		"no URL":      {"hunter2", "REDIS_URL is not an address"},
	} {
		if err := queue.Preflight(t.Context(), queue.Config{URL: c.url}); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// ownRedis starts a server for one test, and returns a client and a function that sends commands.
func ownRedis(t *testing.T, options localserver.Options) (server *localserver.Redis, client redis.UniversalClient, do func(args ...any)) {
	t.Helper()
	server, err := localserver.StartRedis(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	client, err = queue.Connect(queue.Config{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return server, client, func(args ...any) {
		t.Helper()
		if err := client.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// Checks fail with a Redis that isn't configured for this product.
func TestPreflightRefused(t *testing.T) {
	t.Parallel()
	server, _, do := ownRedis(t, localserver.Options{})
	do("acl", "setuser", "weak", "on", ">secret", "~*", "&*", "+@all", "-function")
	do("acl", "setuser", "deaf", "on", ">secret", "~*", "&*", "+ping")
	as := func(user, password string) string {
		return strings.Replace(server.URL(), "unix://", "unix://"+user+":"+password+"@", 1)
	}
	for name, c := range map[string]struct{ url, want string }{
		"no functions":   {as("weak", "secret"), "doesn't allow functions: grant its user the rights +function and +fcall"},
		"too few rights": {as("deaf", "secret"), "lacks rights"},
		"wrong password": {as("weak", "wrong"), "refuses the user or the password: correct REDIS_URL"},
		"no database":    {server.URL() + "?db=99", "has no such database: correct the number at the end of REDIS_URL"},
	} {
		if err := queue.Preflight(t.Context(), queue.Config{URL: c.url}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for policy, refused := range map[string]bool{"allkeys-lru": true, "volatile-lru": false} {
		do("config", "set", "maxmemory-policy", policy)
		err := queue.Preflight(t.Context(), queue.Config{URL: server.URL()})
		if refused != (err != nil && strings.Contains(err.Error(), "set its maxmemory-policy to noeviction")) {
			t.Errorf("with the policy %s: %v", policy, err)
		}
	}
	do("config", "set", "maxmemory-policy", "noeviction")
	do("replicaof", "127.0.0.1", "1")
	if err := queue.Preflight(t.Context(), queue.Config{URL: server.URL()}); err == nil || !strings.Contains(err.Error(), "use the address of the primary server") {
		t.Errorf("a replica: %v", err)
	}
}

// A full Redis reports that, and accepts writes again when it has room.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	server, client, do := ownRedis(t, localserver.Options{Settings: map[string]string{"save": "3600 1"}})
	r := queue.New(client)
	if err := errors.Join(r.Load(t.Context()), r.Check(t.Context())); err != nil {
		t.Fatal(err)
	}
	full := func(want string) {
		t.Helper()
		if err := r.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
		if err := r.Register(t.Context(), 1, "q", queue.Descriptor{Lifetime: 60}, queue.Quota{}); !errors.Is(err, queue.ErrFull) {
			t.Errorf("a call fails with %v", err)
		}
		if err := r.Ping(t.Context()); err != nil {
			t.Errorf("the queue is gone: %v", err)
		}
	}
	do("config", "set", "maxmemory", "100kb")
	full("has no memory left: raise its maxmemory")
	do("config", "set", "maxmemory", "0")

	if err := os.RemoveAll(server.DataDir()); err != nil { // so that it can't write a snapshot
		t.Fatal(err)
	}
	do("bgsave")
	for start := time.Now(); time.Since(start) < 10*time.Second && r.Check(t.Context()) == nil; time.Sleep(10 * time.Millisecond) {
	}
	full("can't write to its disk: look into its log, and free some of the disk, or enlarge it")
	do("config", "set", "save", "") // otherwise nothing would fail, nor at the end

	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := r.Register(t.Context(), 1, "q", queue.Descriptor{Lifetime: 60}, queue.Quota{}); !errors.Is(err, queue.ErrNoCursor) {
		t.Errorf("a call fails with %v", err)
	}
}

// Two servers with one Redis would deliver each other's events.
func TestOwnerOfRedis(t *testing.T) {
	t.Parallel()
	at := testbed.Redis(t)
	client, err := queue.Connect(queue.Config{URL: at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	r := queue.New(client)
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	taken := func(database string) bool {
		t.Helper()
		err := r.CheckOwner(t.Context(), database)
		if err != nil && !strings.Contains(err.Error(), "correct REDIS_URL, so that each has its own") {
			t.Fatal(err)
		}
		return err != nil
	}
	if taken("a") || taken("") {
		t.Error("it is empty, and taken")
	}
	if _, err := r.Lease(t.Context(), 5, "replica", time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := r.StartCursor(t.Context(), 5, queue.Cursor{Incarnation: "a.7.1"}); err != nil {
		t.Fatal(err)
	}
	if taken("a") {
		t.Error("a server's own Redis is taken")
	}
	if !taken("b") || !taken("") {
		t.Error("two servers may have the same Redis")
	}
	if err := r.Release(t.Context(), 5, "replica"); err != nil {
		t.Fatal(err)
	}
	if taken("b") {
		t.Error("a server that has stopped keeps others out")
	}
}
