package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/dispatch"
)

// run runs a dispatcher with its wake-ups until the test ends.
func (w *world) run(replica string) {
	w.t.Helper()
	d := w.dispatcher(replica)
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{}, 2)
	go func() { _ = d.Run(ctx); done <- struct{}{} }()
	go func() {
		_ = w.redis.Listen(ctx, storetest.Shards, listener{d}, testbed.Logger(w.t))
		done <- struct{}{}
	}()
	w.t.Cleanup(func() { cancel(); <-done; <-done })
}

// leaseKeys returns the keys of all leases.
func leaseKeys() (keys []string) {
	for number := range storetest.Shards {
		keys = append(keys, fmt.Sprintf("{s%d}:lease", number))
	}
	return keys
}

// One replica dispatches all shards while others keep dying and still count as alive.
func TestShardsOfDeadReplicas(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	dying := make(chan struct{})
	t.Cleanup(func() { cancel(); <-dying })
	join := func(n int) { _, _, _ = w.redis.Join(ctx, fmt.Sprintf("dead %d", n), time.Now(), 3*time.Second, false) }
	for n := range 16 {
		join(n)
	}
	go func() {
		defer close(dying)
		for n := 16; ctx.Err() == nil; n++ {
			join(n)
			time.Sleep(100 * time.Millisecond)
		}
	}()
	// The replica starts while others hold the leases, so that it has counted them when the leases end.
	for _, key := range leaseKeys() {
		w.must(w.client.Set(ctx, key, "dead", 2*time.Second).Err())
	}
	w.run("one")
	w.awaits(map[string]int{"one": storetest.Shards}, 6*time.Second, always)
}

// soon is the maximum time for all shards. It is less than the time with a check every second.
const soon = 600 * time.Millisecond

// A replica takes a shard as soon as the lease of a dead replica has ended, or another one has given it up at its
// shutdown. On a busy machine, both are tried again.
func TestLeasesAreTakenAtOnce(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	w.run("one")
	for what, lives := range map[string]time.Duration{"ended": 1500 * time.Millisecond, "given up": time.Minute} {
		best := time.Hour
		for deadline := time.Now().Add(60 * time.Second); best > soon && time.Now().Before(deadline); {
			ends := time.Now().Add(lives)
			for _, key := range leaseKeys() {
				w.must(w.client.Set(t.Context(), key, "other", time.Until(ends)).Err())
			}
			time.Sleep(1300 * time.Millisecond) // all were lost
			if what == "given up" {
				ends = time.Now()
				for number := range storetest.Shards {
					w.must(w.redis.Release(t.Context(), number, "other"))
				}
			}
			w.awaits(map[string]int{"one": storetest.Shards}, 0, always)
			best = min(best, time.Since(ends))
		}
		if best > soon {
			t.Errorf("%s: all were taken after %v at best", what, best)
		}
	}
}

// A shard is still dispatched if its lease can't be renewed for a moment, for example during a restart of Redis.
func TestLeaseOutlivesFailures(t *testing.T) {
	t.Parallel()
	w := open(t)
	fails := failing{}
	w.client.AddHook(&fails)
	d := w.dispatcher("one")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = d.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	led := func() bool { return len(d.Lags()) == storetest.Shards }
	// On a busy machine renewals may be late for other reasons, so one try without a loss is enough.
	deadline := time.Now().Add(60 * time.Second)
	for lost := true; lost; {
		for ; !led(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("whenever leases can't be renewed, shards are lost")
			}
		}
		fails.left.Store(2 * storetest.Shards)
		for lost = false; fails.left.Load() > 0; time.Sleep(time.Millisecond) {
			lost = lost || !led()
		}
	}
}

// failing makes some calls for leases fail.
type failing struct{ left atomic.Int64 }

func (f *failing) DialHook(next redis.DialHook) redis.DialHook { return next }
func (f *failing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f *failing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) > 1 && strings.HasSuffix(fmt.Sprint(args[1]), "_lease") && f.left.Add(-1) >= 0 {
			return errors.New("LOADING Redis is loading the dataset in memory")
		}
		return next(ctx, cmd)
	}
}

// listener forwards wake-ups that concern a dispatcher.
type listener struct{ *dispatch.Dispatcher }

func (listener) Appended(context.Context, int, queue.Pointer, []queue.Woken) {}
func (listener) Moved(string, string)                                        {}
func (listener) Removed(string)                                              {}
func (listener) Reset()                                                      {}
func (listener) Reconnected([]int)                                           {}
