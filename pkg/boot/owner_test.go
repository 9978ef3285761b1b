package boot_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// openRedis returns the address of a Redis, and a connection to it.
func openRedis(t *testing.T) (string, *queue.Redis) {
	t.Helper()
	address := testbed.Redis(t)
	client, err := queue.Connect(queue.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return address, queue.New(client)
}

// A program doesn't start with the Redis of a server that has another database, and its check says so.
func TestRedisOfAnotherServer(t *testing.T) {
	t.Parallel()
	_, database := storetest.OpenURL(t)
	address, redis := openRedis(t)
	if err := redis.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := redis.Lease(t.Context(), 0, "theirs", time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := redis.StartCursor(t.Context(), 0, queue.Cursor{Incarnation: "theirs.1.1"}); err != nil {
		t.Fatal(err)
	}
	environ, program := []string{"DATABASE_URL=" + database, "REDIS_URL=" + address}, boot.Program{Name: "test"}
	for name, err := range map[string]error{
		"check": boot.Check(t.Context(), nil, environ, io.Discard, program),
		"run":   boot.Run(t.Context(), environ, &output{}, program),
	} {
		if err == nil || !strings.Contains(err.Error(), "uses the same Redis: correct REDIS_URL") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
