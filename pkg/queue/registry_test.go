package queue_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

func TestRegisterNeedsCursor(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := queue.NewID(5)
	if err := w.Register(t.Context(), 5, name, queue.Descriptor{Lifetime: 60}, queue.Quota{}); !errors.Is(err, queue.ErrNoCursor) {
		t.Fatalf("error %v", err)
	}
	if _, _, ok, err := w.Find(t.Context(), 5, name); ok || err != nil {
		t.Errorf("the queue exists: %v, %v", ok, err)
	}
	if keys := w.client.Keys(t.Context(), "{s5}*").Val(); len(keys) != 0 {
		t.Errorf("left behind: %v", keys)
	}
}

// A client whose connection failed before the answer repeats the call. The quota counts the queue once, so no other is removed.
func TestRegisterAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	quota := queue.Quota{Queues: 2, Long: 2}
	w.registerFor(7, queue.LongLifetime+1, quota)
	name, d := queue.NewID(shard), queue.Descriptor{Org: 1, User: 7, Lifetime: queue.LongLifetime + 1}
	w.must(w.Register(t.Context(), shard, name, d, quota))
	before := w.everything()
	w.must(w.Register(t.Context(), shard, name, d, quota))
	if diff := cmp.Diff(before, w.everything()); diff != "" {
		t.Errorf("changed (-first +again):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	w := open(t)
	full := queue.Descriptor{
		Org: 4, User: 5, Form: event.Form{Markdown: true, HostedAvatar: true}, Types: []string{"message"}, AllPublic: true,
		Narrow: [][2]string{{"stream", "a \"b\"\n"}}, Lifetime: 9,
	}
	for _, want := range []queue.Descriptor{full, {Org: 1, User: 1, Lifetime: 1, Types: nil}} {
		name := queue.NewID(shard)
		w.must(w.Register(t.Context(), shard, name, want, queue.Quota{}))
		if _, _, ok, err := w.Find(t.Context(), shard, name); ok || err != nil {
			t.Errorf("found a queue whose registration isn't complete: %v", err)
		}
		w.must(w.SetSnapshot(t.Context(), shard, name, "1:9:3,4"))
		got, snapshot, ok, err := w.Find(t.Context(), shard, name)
		if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil || snapshot != "1:9:3,4" {
			t.Errorf("%v %v, snapshot %q (-want +got):\n%s", ok, err, snapshot, diff)
		}
	}
	if _, _, ok, err := w.Find(t.Context(), shard, queue.NewID(shard)); ok || err != nil {
		t.Errorf("found a queue that never existed: %v, %v", ok, err)
	}
}

// No types and all types are different, also in Redis.
func TestDescriptorAccepts(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		types []string
		want  bool
	}{{nil, true}, {[]string{}, false}, {[]string{"message"}, true}, {[]string{"reaction"}, false}} {
		name := queue.NewID(shard)
		w.must(w.Register(t.Context(), shard, name, queue.Descriptor{Types: test.types, Lifetime: 60}, queue.Quota{}))
		w.must(w.SetSnapshot(t.Context(), shard, name, "1:2:"))
		found, _, _, err := w.Find(t.Context(), shard, name)
		w.must(err)
		if got := found.Accepts("message"); got != test.want {
			t.Errorf("%#v accepts a message: %v", test.types, got)
		}
	}
}

func TestUnregister(t *testing.T) {
	t.Parallel()
	w := open(t)
	name, other := w.register(), w.register()
	w.must(w.SetSnapshot(t.Context(), shard, name, "1:2:"))
	w.poll("r", name, queue.First)
	published := w.publications()
	if there, err := w.Unregister(t.Context(), shard, name); !there || err != nil {
		t.Errorf("there %v, error %v", there, err)
	}
	if diff := cmp.Diff([]string{"gone\n" + name + " 0-0"}, published()); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	if there, err := w.Unregister(t.Context(), shard, name); there || err != nil {
		t.Errorf("again: there %v, error %v", there, err)
	}
	if _, _, ok, _ := w.Find(t.Context(), shard, name); ok {
		t.Error("it is still found")
	}
	w.must(w.SetSnapshot(t.Context(), shard, name, "1:2:")) // it was removed while the state was read
	if left := w.client.Exists(t.Context(), "{s3}:snapshots").Val(); left != 0 {
		t.Error("the snapshot of a removed queue is left")
	}
	if _, gone := w.dispatch(name, other); !slices.Equal(gone, []string{name}) {
		t.Errorf("gone %v", gone)
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	w := open(t)
	if queues, version, err := w.Registry(t.Context(), shard); len(queues) != 0 || version != 0 || err != nil {
		t.Errorf("empty registry: %v %d %v", queues, version, err)
	}
	a := w.register()
	start := w.version()
	b, c := w.register(), w.register()
	if _, err := w.Unregister(t.Context(), shard, b); err != nil {
		t.Fatal(err)
	}
	queues, version, err := w.Registry(t.Context(), shard)
	w.must(err)
	slices.SortFunc(queues, func(x, y queue.Queue) int { return int(x.Number - y.Number) })
	d := queue.Descriptor{Org: 1, User: 2, Lifetime: 60}
	want := []queue.Queue{{ID: a, Number: start, Descriptor: d}, {ID: c, Number: start + 2, Descriptor: d}}
	if diff := cmp.Diff(want, queues); diff != "" || version != start+3 {
		t.Errorf("version %d, start %d (-want +got):\n%s", version, start, diff)
	}
	changes, version, ok, err := w.Changes(t.Context(), shard, start)
	w.must(err)
	wantChanges := []queue.RegistryChange{
		{Queue: queue.Queue{ID: b}, Gone: true}, // added and removed
		{Queue: queue.Queue{ID: c, Number: start + 2, Descriptor: d}},
	}
	if diff := cmp.Diff(wantChanges, changes); diff != "" || !ok || version != start+3 {
		t.Errorf("ok %v, version %d (-want +got):\n%s", ok, version, diff)
	}
	if changes, version, ok, err := w.Changes(t.Context(), shard, start+3); len(changes) != 0 || version != start+3 || !ok || err != nil {
		t.Errorf("changes after the newest: %v %v %v", changes, ok, err)
	}
	if _, _, ok, err := w.Changes(t.Context(), shard, start+4); ok || err != nil {
		t.Errorf("changes since a version that there wasn't: %v %v", ok, err)
	}
}

// It is reported if the list of changes doesn't go back far enough.
func TestChangesTrimmed(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.register()
	start := w.version()
	for range 4 {
		w.register()
	}
	oldest := "0-" + strconv.FormatInt(start+3, 10)
	w.must(w.client.XTrimMinID(t.Context(), "{s3}:changes", oldest).Err())
	for since, want := range map[int64]bool{start: false, start + 1: false, start + 2: true, start + 3: true} {
		if _, _, ok, err := w.Changes(t.Context(), shard, since); ok != want || err != nil {
			t.Errorf("since %d: %v %v", since-start, ok, err)
		}
	}
	w.must(w.client.Del(t.Context(), "{s3}:changes").Err())
	if _, _, ok, err := w.Changes(t.Context(), shard, start); ok || err != nil {
		t.Errorf("without a list: %v %v", ok, err)
	}
}

// If Redis has lost its data, a process with a version of the old registry must not take the new one for it.
func TestRegistryVersionsNeverRepeat(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.register()
	known := w.version()
	w.must(w.client.FlushAll(t.Context()).Err())
	w.must(w.StartCursor(t.Context(), shard, w.cursor))
	time.Sleep(3 * time.Millisecond)
	w.register()
	outcome, _, err := w.Dispatch(t.Context(), shard, w.cursor, at(101), known, nil)
	if outcome != queue.RegistryChanged || err != nil {
		t.Errorf("outcome %d, error %v", outcome, err)
	}
	if _, _, ok, err := w.Changes(t.Context(), shard, known); ok || err != nil {
		t.Errorf("changes since then: %v, %v", ok, err)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	w := open(t)
	expired, live := w.register(), w.register()
	for _, name := range []string{expired, live} {
		w.must(w.SetSnapshot(t.Context(), shard, name, "1:2:"))
	}
	w.must(w.client.Del(t.Context(), "{s3}:queue:"+expired).Err())
	version := w.version()
	names := []string{live, expired}
	for range 1200 {
		names = append(names, queue.NewID(shard))
	}
	w.must(w.Forget(t.Context(), shard, names))
	queues, after, err := w.Registry(t.Context(), shard)
	w.must(err)
	if len(queues) != 1 || queues[0].ID != live || after != version+1 {
		t.Errorf("queues %v, version %d, before %d", queues, after, version)
	}
	if got := w.client.HKeys(t.Context(), "{s3}:snapshots").Val(); !slices.Equal(got, []string{live}) {
		t.Errorf("snapshots of %v", got)
	}
	liveness, err := w.Lengths(t.Context(), shard, names)
	w.must(err)
	if len(liveness) != len(names) || liveness[0] == 0 || slices.Max(liveness[1:]) > 0 {
		t.Errorf("lengths: %v", liveness[:3])
	}
}

func TestFunctionsAreLoadedAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	w.must(w.client.FunctionFlush(t.Context()).Err())
	w.dispatch(name)
	w.must(w.client.FunctionFlush(t.Context()).Err())
	if got := numbers(w.poll("r", name, queue.First)); !slices.Equal(got, []int64{2}) {
		t.Errorf("entries %v", got)
	}
}

func TestLease(t *testing.T) {
	t.Parallel()
	w := open(t)
	try := func(replica string, want bool) {
		t.Helper()
		if got, err := w.Lease(t.Context(), shard, replica, time.Minute); got != want || err != nil {
			t.Errorf("%s: %v, %v", replica, got, err)
		}
	}
	try("one", true)
	try("two", false)
	try("one", true)
	w.must(w.Release(t.Context(), shard, "two")) // the other one's lease
	try("two", false)
	w.must(w.Release(t.Context(), shard, "one"))
	try("two", true)
	got, err := w.Lease(t.Context(), shard, "two", 20*time.Millisecond)
	if !got || err != nil {
		t.Fatal(got, err)
	}
	time.Sleep(50 * time.Millisecond)
	try("one", true)
}

func TestJoin(t *testing.T) {
	t.Parallel()
	w := open(t)
	start := time.Unix(1000, 0)
	for _, step := range []struct {
		replica string
		at      time.Duration
		want    int
	}{{"one", 0, 1}, {"two", time.Second, 2}, {"one", 3 * time.Second, 2}, {"three", 5 * time.Second, 2}} {
		if got, _, err := w.Join(t.Context(), step.replica, start.Add(step.at), 4*time.Second, false); got != step.want || err != nil {
			t.Errorf("%s: %d replicas, %v", step.replica, got, err)
		}
	}
	w.must(w.Leave(t.Context(), "one"))
	if got, _, _ := w.Join(t.Context(), "three", start.Add(5*time.Second), 4*time.Second, false); got != 1 {
		t.Errorf("%d replicas after one left", got)
	}
	for _, step := range []struct {
		replica       string
		wants, wanted bool
	}{{"three", false, false}, {"four", true, true}, {"three", false, true}} {
		if _, wanted, err := w.Join(t.Context(), step.replica, start, time.Minute, step.wants); wanted != step.wanted || err != nil {
			t.Errorf("%s: wanted %v, %v; want %v", step.replica, wanted, err, step.wanted)
		}
	}
}

func TestConnectRefusesBadURL(t *testing.T) {
	t.Parallel()
	if _, err := queue.Connect(queue.Config{URL: "nonsense://x"}); err == nil {
		t.Error("no error")
	}
}

// An unreachable Redis is an error in all calls, never an empty result.
func TestErrors(t *testing.T) {
	t.Parallel()
	client, err := queue.Connect(queue.Config{URL: "redis://localhost:1"})
	if err != nil {
		t.Fatal(err)
	}
	_ = client.Close() // makes calls fail
	r, ctx := queue.New(client), t.Context()
	calls := map[string]func() error{
		"Load":        func() error { return r.Load(ctx) },
		"Ping":        func() error { return r.Ping(ctx) },
		"Cursor":      func() error { _, _, err := r.Cursor(ctx, 1); return err },
		"StartCursor": func() error { return r.StartCursor(ctx, 1, at(1)) },
		"Reset":       func() error { _, err := r.Reset(ctx, 1, at(1), at(2)); return err },
		"Dispatch":    func() error { _, _, err := r.Dispatch(ctx, 1, at(1), at(2), 1, nil); return err },
		"Payloads":    func() error { _, err := r.Payloads(ctx, 1, []store.Position{at(1).Position}); return err },
		"Poll":        func() error { _, err := r.Poll(ctx, 1, "r", make([]queue.PollRequest, 1)); return err },
		"Register":    func() error { return r.Register(ctx, 1, "q", queue.Descriptor{}, queue.Quota{}) },
		"SetSnapshot": func() error { return r.SetSnapshot(ctx, 1, "q", "") },
		"Find":        func() error { _, _, _, err := r.Find(ctx, 1, "q"); return err },
		"Unregister":  func() error { _, err := r.Unregister(ctx, 1, "q"); return err },
		"Forget":      func() error { return r.Forget(ctx, 1, []string{"q"}) },
		"Registry":    func() error { _, _, err := r.Registry(ctx, 1); return err },
		"Changes":     func() error { _, _, _, err := r.Changes(ctx, 1, 1); return err },
		"Lengths":     func() error { _, err := r.Lengths(ctx, 1, []string{"q"}); return err },
		"Lease":       func() error { _, err := r.Lease(ctx, 1, "r", 1); return err },
		"Release":     func() error { return r.Release(ctx, 1, "r") },
		"Join":        func() error { _, _, err := r.Join(ctx, "r", time.Unix(1, 0), 1, true); return err },
		"Leave":       func() error { return r.Leave(ctx, "r") },
	}
	for name, call := range calls {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
