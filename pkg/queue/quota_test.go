package queue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

// registerFor registers a queue of an account with a quota.
func (w *world) registerFor(user id.User, lifetime int, quota queue.Quota) string {
	w.t.Helper()
	name := queue.NewID(shard)
	w.must(w.Register(w.t.Context(), shard, name, queue.Descriptor{Org: 1, User: user, Lifetime: lifetime}, quota))
	return name
}

// alive returns those of the queues that can be polled.
func (w *world) alive(names ...string) []string {
	w.t.Helper()
	lengths, err := w.Lengths(w.t.Context(), shard, names)
	w.must(err)
	live := []string{}
	for i, name := range names {
		if lengths[i] > 0 {
			live = append(live, name)
		}
	}
	return live
}

// idleFor sets the time since a queue's last request. A negative number means that a poll is waiting.
func (w *world) idleFor(seconds, lifetime int, name string) {
	w.t.Helper()
	w.must(w.client.Do(w.t.Context(), "expire", "{s3}:queue:"+name, lifetime-seconds).Err())
}

// If an account has too many queues, the one without a request for longest is removed, and polls of it fail as for
// any removed queue. A queue with a waiting poll is removed only if there is no other.
func TestQuota(t *testing.T) {
	t.Parallel()
	w := open(t)
	quota := queue.Quota{Queues: 3}
	others := []string{w.registerFor(8, 60, quota), w.registerFor(9, 600, quota)}
	a, b, c := w.registerFor(7, 60, quota), w.registerFor(7, 6000, quota), w.registerFor(7, 600, quota)
	w.idleFor(-75, 60, a) // polled now, although it is the oldest and has the shortest lifetime
	w.idleFor(40, 6000, b)
	w.idleFor(30, 600, c)
	published := w.publications()
	d := w.registerFor(7, 60, quota)
	if diff := cmp.Diff([]string{a, c, d}, w.alive(a, b, c, d)); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gone\n" + b + " 0-0"}, published()); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	for _, name := range []string{a, c, d} {
		w.idleFor(-50, 600, name)
	}
	w.idleFor(-20, 600, c)
	e := w.registerFor(7, 60, quota)
	if diff := cmp.Diff([]string{a, d, e}, w.alive(a, b, c, d, e)); diff != "" {
		t.Errorf("where all are polled (-want +got):\n%s", diff)
	}
	// Expired and deleted queues don't count.
	w.must(w.client.Del(t.Context(), "{s3}:queue:"+a).Err())
	f := w.registerFor(7, 60, quota)
	_, err := w.Unregister(t.Context(), shard, d)
	w.must(err)
	g := w.registerFor(7, 60, quota)
	if diff := cmp.Diff([]string{e, f, g}, w.alive(a, d, e, f, g)); diff != "" {
		t.Errorf("after some ended (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(others, w.alive(others...)); diff != "" {
		t.Errorf("others' queues (-want +got):\n%s", diff)
	}
	queues, version, err := w.Registry(t.Context(), shard)
	w.must(err)
	names := []string{}
	for _, q := range queues {
		names = append(names, q.ID)
	}
	want := append(slices.Clone(others), e, f, g)
	slices.Sort(names)
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("registry (-want +got):\n%s", diff)
	}
	changes, _, ok, err := w.Changes(t.Context(), shard, version-1)
	if len(changes) != 1 || !ok || err != nil || changes[0].Queue.ID != g {
		t.Errorf("changes %v %v %v", changes, ok, err)
	}
}

// Queues with a long lifetime have a lower limit. Others aren't counted for it.
func TestQuotaOfLongLives(t *testing.T) {
	t.Parallel()
	w := open(t)
	quota := queue.Quota{Queues: 100, Long: 2}
	short := w.registerFor(7, queue.LongLifetime, quota)
	a, b := w.registerFor(7, 86400, quota), w.registerFor(7, queue.LongLifetime+1, quota)
	w.idleFor(10, queue.LongLifetime, short)
	w.idleFor(5, queue.LongLifetime+1, b)
	again := w.registerFor(7, queue.LongLifetime, quota)
	c := w.registerFor(7, 86400, quota)
	if diff := cmp.Diff([]string{short, a, again, c}, w.alive(short, a, b, again, c)); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
}

// The attack of security H4: many queues of one account take bounded memory, and deleted or expired ones take none.
func TestNothingIsLeftOfQueues(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	quota := queue.Quota{Queues: 100, Long: 10}
	large := queue.Descriptor{Org: 1, User: 7, Types: event.Types(), Lifetime: 600}
	for range 10 {
		large.Narrow = append(large.Narrow, [2]string{"stream", strings.Repeat("ж", 200)})
	}
	names := []string{}
	add := func(count int) {
		for range count {
			names = append(names, queue.NewID(shard))
			last := names[len(names)-1]
			w.must(w.Register(t.Context(), shard, last, large, quota))
			w.must(w.SetSnapshot(t.Context(), shard, last, "1234567:1234599:1234570,1234571"))
			w.poll("replica", last, queue.First)
		}
	}
	remove := func() {
		for _, name := range names[len(names)/2:] {
			_, err := w.Unregister(t.Context(), shard, name)
			w.must(err)
		}
		for _, name := range names[:len(names)/2] {
			w.must(w.client.Del(t.Context(), "{s3}:queue:"+name).Err()) // as if it had expired
		}
		w.must(w.Forget(t.Context(), shard, names))
		names = nil
	}
	add(1)
	remove() // the baseline
	before := w.used()
	add(2000)
	full := w.used() - before
	if n := w.client.HLen(t.Context(), "{s3}:queues").Val(); n != 100 {
		t.Errorf("%d queues", n)
	}
	remove()
	rest := w.used() - before
	t.Logf("Redis: %d bytes with 2000 registrations, %d after all were deleted", full, rest)
	if full > 3<<20 || rest > 200<<10 {
		t.Errorf("Redis took %d bytes more, and %d after all were deleted", full, rest)
	}
	keys := w.client.Keys(t.Context(), "*").Val()
	slices.Sort(keys)
	if diff := cmp.Diff([]string{"{s3}:changes", "{s3}:cursor", "{s3}:version"}, keys); diff != "" {
		t.Errorf("keys that are left (-want +got):\n%s", diff)
	}
}
