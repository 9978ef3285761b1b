package queue_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// A call ends within the timeout of two responses, however many connections are dead and however often it is retried.
// Clients don't get an internal error then.
func TestCallsEndWhereRedisIsSilent(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	wire := testbed.NewWire(t, w.client.(*redis.Client).Options().Addr)
	client, err := queue.Connect(queue.Config{URL: "redis://" + wire.Addr() + "?read_timeout=1s&max_retries=100&min_idle_conns=8"})
	w.must(err)
	t.Cleanup(func() { _ = client.Close() })
	severed := queue.New(client)
	w.must(severed.Ping(t.Context()))
	wire.Sever()
	clients := map[string]bool{"function": true, "find": true, "snapshot": true, "payloads": true}
	for what, call := range map[string]func() error{
		"function": func() error { _, err := severed.Lease(t.Context(), 3, "one", time.Minute); return err },
		"command":  func() error { _, _, err := severed.Cursor(t.Context(), 3); return err },
		"pipeline": func() error {
			_, _, err := severed.Join(t.Context(), "one", time.Now(), time.Minute, false)
			return err
		},
		"find":     func() error { _, _, _, err := severed.Find(t.Context(), 3, "3.one"); return err },
		"snapshot": func() error { return severed.SetSnapshot(t.Context(), 3, "3.one", "1:1:") },
		"payloads": func() error {
			_, err := severed.Payloads(t.Context(), 3, []store.Position{{Xid: 1, ID: 1}})
			return err
		},
	} {
		failed := make(chan error, 1)
		go func() { failed <- call() }()
		select {
		case err := <-failed:
			if err == nil {
				t.Errorf("%s: Redis answered", what)
			}
			if clients[what] && !errors.Is(err, queue.ErrUnavailable) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(15 * time.Second):
			t.Fatalf("%s: no end", what)
		}
	}
}
