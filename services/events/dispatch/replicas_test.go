package dispatch_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/testbed"
)

// tally counts the calls of Redis that change the shard or read its queues. Calls for leases and the cursor aren't
// counted, because they depend on time, not on events.
type tally struct {
	mutex sync.Mutex
	calls map[string]int
}

func (*tally) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *tally) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if slices.ContainsFunc(cmds, func(cmd redis.Cmder) bool {
			return cmd.Name() == "hgetall" && fmt.Sprint(cmd.Args()[1]) == fmt.Sprintf("{s%d}:queues", shard)
		}) {
			c.count("registry")
		}
		return next(ctx, cmds)
	}
}

func (c *tally) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		if cmd.Name() == "fcall" && strings.HasPrefix(fmt.Sprint(args[3]), fmt.Sprintf("{s%d}:", shard)) &&
			args[1] != "chatserver2_lease" && args[1] != "chatserver2_release" {
			c.count(fmt.Sprint(args[1]))
		}
		return next(ctx, cmd)
	}
}

func (c *tally) count(call string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.calls[call]++
}

// An event takes one call of Redis, however many replicas there are that don't dispatch its shard.
func TestReplicasAddNoCalls(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	for _, replicas := range []int{1, 4} {
		w := open(t)
		w.emit(joined(1))
		name := w.register(1)
		for n := range replicas {
			w.run(fmt.Sprintf("replica %d", n))
		}
		w.settle()
		time.Sleep(3 * time.Second) // by then they share the shards
		calls := &tally{calls: map[string]int{}}
		w.client.AddHook(calls)
		const events = 20
		for range events {
			w.emit(note{audience: event.Audience{Users: []id.User{1}}})
			w.must(w.client.Publish(t.Context(), fmt.Sprintf("log:{s%d}", shard), "").Err())
			w.settle()
		}
		calls.mutex.Lock()
		if moves := calls.calls["registry"]; moves > 2 { // a shard may still go to another replica
			t.Errorf("with %d replicas, the registry was read %d times", replicas, moves)
		}
		delete(calls.calls, "registry")
		if diff := cmp.Diff(map[string]int{"chatserver2_dispatch": events}, calls.calls); diff != "" {
			t.Errorf("with %d replicas (-want +got):\n%s", replicas, diff)
		}
		calls.mutex.Unlock()
		if got := len(w.got(name)); got != events {
			t.Errorf("%d replicas: the queue has %d events", replicas, got)
		}
	}
}
