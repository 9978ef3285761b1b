package queue_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// everything returns all that Redis contains, except for values that change with time.
func (w *world) everything() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	keys, err := w.client.Keys(w.t.Context(), "*").Result()
	w.must(err)
	for _, key := range keys {
		dump, err := w.client.Dump(w.t.Context(), key).Result()
		w.must(err)
		all[key] = dump
	}
	return all
}

func TestDispatchRefuses(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	known := w.version()
	tests := map[string]struct {
		from    queue.Cursor
		version int64
		want    queue.Outcome
	}{
		"cursor behind":       {at(99), known, queue.CursorMoved},
		"cursor ahead":        {at(101), known, queue.CursorMoved},
		"other incarnation":   {queue.Cursor{Incarnation: "db.2", Place: at(100).Place}, known, queue.CursorMoved},
		"event done in part":  {queue.Cursor{Incarnation: "db.1", Place: queue.Place{Position: at(100).Position, Through: 1}}, known, queue.CursorMoved},
		"older registry":      {at(100), known - 1, queue.RegistryChanged},
		"registry of nothing": {at(100), 0, queue.RegistryChanged},
	}
	for title, test := range tests {
		before, published := w.everything(), w.publications()
		outcome, gone, err := w.Dispatch(t.Context(), shard, test.from, at(101), test.version, []queue.Append{
			{Event: at(101).Position, Payload: []byte("{}"), Queues: []string{name, "3.gone"}},
		})
		if err != nil || outcome != test.want || gone != nil {
			t.Errorf("%s: outcome %d, gone %v, error %v", title, outcome, gone, err)
		}
		if diff := cmp.Diff(before, w.everything()); diff != "" {
			t.Errorf("%s: Redis has changed (-before +after):\n%s", title, diff)
		}
		if got := published(); len(got) != 0 {
			t.Errorf("%s: published %q", title, got)
		}
	}
}

func TestDispatch(t *testing.T) {
	t.Parallel()
	w := open(t)
	a, b, c := w.register(), w.register(), w.register()
	published := w.publications()
	first, second := at(101).Position, at(102).Position
	outcome, gone, err := w.Dispatch(t.Context(), shard, w.cursor, at(102), w.version(), []queue.Append{
		{Event: first, Payload: []byte("one"), Queues: []string{a, "3.gone", b}},
		{Event: first, Flags: event.Mentioned, LocalID: "x y\n", Queues: []string{c}},
		{Event: second, Payload: []byte("two"), Queues: []string{a}},
	})
	if err != nil || outcome != queue.Done {
		t.Fatalf("outcome %d, error %v", outcome, err)
	}
	if diff := cmp.Diff([]string{"3.gone"}, gone); diff != "" {
		t.Errorf("gone (-want +got):\n%s", diff)
	}
	want := map[string]queue.PollResult{
		a: {Entries: []queue.Entry{{Number: 2, Pointer: queue.Pointer{Event: first}}, {Number: 3, Pointer: queue.Pointer{Event: second}}}},
		b: {Entries: []queue.Entry{{Number: 2, Pointer: queue.Pointer{Event: first}}}},
		c: {Entries: []queue.Entry{{Number: 2, Pointer: queue.Pointer{Event: first, Flags: event.Mentioned, LocalID: "x y\n"}}}},
	}
	got := published() // before the polls, which also publish
	for name, polled := range want {
		if diff := cmp.Diff(polled, w.poll("r", name, queue.First)); diff != "" {
			t.Errorf("queue (-want +got):\n%s", diff)
		}
	}
	wake := "7.101 0 \n " + a + " 0-2 " + b + " 0-2 \n 7.101 8 x+y%0A \n " + c + " 0-2 \n 7.102 0 \n " + a + " 0-3 \n"
	if diff := cmp.Diff([]string{wake}, got); diff != "" {
		t.Errorf("wake-ups (-want +got):\n%s", diff)
	}
	payloads, err := w.Payloads(t.Context(), shard, []store.Position{second, {Xid: 7, ID: 1}, first})
	w.must(err)
	if diff := cmp.Diff(map[store.Position][]byte{first: []byte("one"), second: []byte("two")}, payloads); diff != "" {
		t.Errorf("payloads (-want +got):\n%s", diff)
	}
	if ttl := w.client.TTL(t.Context(), "{s3}:event:7.101").Val().Minutes(); ttl < 14 || ttl > 15 {
		t.Errorf("the payload lives for %v minutes", ttl)
	}
	if cursor, ok, err := w.Cursor(t.Context(), shard); err != nil || !ok || !cursor.Equal(at(102)) {
		t.Errorf("cursor %v %v %v", cursor, ok, err)
	}
	if exists := w.client.Exists(t.Context(), "{s3}:queue:3.gone").Val(); exists != 0 {
		t.Error("a removed queue was created again")
	}
}

func TestDispatchNothing(t *testing.T) {
	t.Parallel()
	w := open(t)
	published := w.publications()
	outcome, _, err := w.Dispatch(t.Context(), shard, w.cursor, at(150), 0, nil)
	if err != nil || outcome != queue.Done {
		t.Fatalf("outcome %d, error %v", outcome, err)
	}
	if cursor, _, _ := w.Cursor(t.Context(), shard); !cursor.Equal(at(150)) {
		t.Errorf("cursor %v", cursor)
	}
	if got := published(); len(got) != 0 {
		t.Errorf("published %q", got)
	}
}

// Numbers of a queue have no gaps, whichever process appends.
func TestNumbersHaveNoGaps(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	want := []int64{}
	for i := range 20 {
		w.dispatch(name)
		want = append(want, int64(i)+2)
	}
	if diff := cmp.Diff(want, numbers(w.poll("r", name, queue.First))); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// Clients choose local ids freely.
func TestLocalIDs(t *testing.T) {
	t.Parallel()
	all := []byte{}
	for b := range 256 {
		all = append(all, byte(b))
	}
	for i, local := range []string{" ", "\n", ",", "%", "a\nb c,d", "ü🙂", string(all), strings.Repeat("x", 5000)} {
		w := open(t)
		name, events := w.register(), listen(t, w)
		to := at(w.cursor.ID + 1)
		_, _, err := w.Dispatch(t.Context(), shard, w.cursor, to, w.version(), []queue.Append{
			{Event: to.Position, Payload: []byte("{}"), LocalID: local, Queues: []string{name}},
		})
		w.must(err)
		polled := w.poll("r", name, queue.First)
		if len(polled.Entries) != 1 || polled.Entries[0].LocalID != local {
			t.Errorf("%d: read %v, want %q", i, polled.Entries, local)
		}
		if got := events.next(t); got.Pointer.LocalID != local {
			t.Errorf("%d: got %q, want %q", i, got.Pointer.LocalID, local)
		}
	}
}

// The largest call that the dispatcher makes. The test only logs how long it takes.
func TestDispatchLargest(t *testing.T) {
	t.Parallel()
	w := open(t)
	pipe := w.client.Pipeline()
	queues := make([]string, queue.MaxAppends)
	for i := range queues {
		queues[i] = queue.NewID(shard)
		pipe.XAdd(t.Context(), &redis.XAddArgs{Stream: "{s3}:queue:" + queues[i], ID: "0-1", Values: []string{"e", ""}})
	}
	_, err := pipe.Exec(t.Context())
	w.must(err)
	w.must(w.client.ConfigSet(t.Context(), "slowlog-log-slower-than", "0").Err())
	w.must(w.client.SlowLogReset(t.Context()).Err())
	w.dispatch(queues...)
	for _, slow := range w.client.SlowLogGet(t.Context(), 10).Val() {
		if len(slow.Args) > 1 && slow.Args[1] == "chatserver2_dispatch" {
			t.Logf("%d appends kept Redis busy for %v", len(queues), slow.Duration)
		}
	}
	for _, i := range []int{0, len(queues) - 1} {
		if diff := cmp.Diff([]int64{2}, numbers(w.poll("r", queues[i], queue.First))); diff != "" {
			t.Errorf("queue %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, ok, err := w.Cursor(t.Context(), 5); ok || err != nil {
		t.Errorf("cursor of an untouched shard: %v, %v", ok, err)
	}
	w.must(w.StartCursor(t.Context(), shard, at(500)))
	if cursor, _, _ := w.Cursor(t.Context(), shard); !cursor.Equal(w.cursor) {
		t.Errorf("a second start moved the cursor to %v", cursor)
	}
	whole := at(5)
	if whole.After() != (store.Position{Xid: 7, ID: 5}) {
		t.Errorf("after a whole event: %v", whole.After())
	}
	part := whole
	part.Through = 9
	if part.After() != (store.Position{Xid: 7, ID: 4}) {
		t.Errorf("after a part of an event: %v", part.After())
	}
	w.must(w.StartCursor(t.Context(), 6, part))
	if cursor, _, _ := w.Cursor(t.Context(), 6); !cursor.Equal(part) {
		t.Errorf("cursor %v, want %v", cursor, part)
	}
	behind := at(500)
	behind.Behind = []queue.Behind{{Org: 3, Place: part.Place}, {Org: 19, Place: at(500).Place}}
	w.must(w.client.Set(t.Context(), "{s3}:cursor", "db.1 7 500 0 3:7:5:9 19:7:500:0", 0).Err())
	if cursor, _, err := w.Cursor(t.Context(), shard); !cursor.Equal(behind) || cursor.Equal(at(500)) {
		t.Errorf("with organizations behind: %v, %v", cursor, err)
	}
	for i, bad := range []string{
		"", "x", "a b c d", "a 1 2", "a 1 2 3 4", "a -1 2 3", "a 1 -2 3", "a 1 2 -3", "a 1 2 03", "a 1 2 +3", " 1 2 3", "a  1 2 3", "a 1 2 3 ",
		"a 1 2 0 3", "a 1 2 0 3:1", "a 1 2 0 3:1:1", "a 1 2 0 3:1:1:0:0", "a 1 2 0 x:1:1:0", "a 1 2 0 0:1:1:0", "a 1 2 0 -3:1:1:0", "a 1 2 0 03:1:1:0",
		"a 1 2 0 3:1:3:0", "a 1 2 0 3:2:1:0", "a 1 2 0 3:1:1:0 3:1:1:0", "a 1 2 0 4:1:1:0 3:1:1:0", "a 1 2 0 3:1:1:0  4:1:1:0",
		"a 18446744073709551616 2 0", "a 1 9223372036854775808 0",
	} {
		w.must(w.client.Set(t.Context(), fmt.Sprintf("{s%d}:cursor", 7+i), bad, 0).Err())
		if _, ok, err := w.Cursor(t.Context(), 7+i); !errors.Is(err, queue.ErrUnreadableCursor) || ok {
			t.Errorf("%q was read as a cursor", bad)
		}
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	w.must(w.SetSnapshot(t.Context(), shard, name, "1:2:"))
	w.poll("r", name, queue.First)
	to := queue.Cursor{Incarnation: "db.2", Place: queue.Place{Position: store.Position{Xid: 3}}}
	if done, err := w.Reset(t.Context(), shard, at(1), to); done || err != nil {
		t.Errorf("a reset from another cursor: %v, %v", done, err)
	}
	if polled := w.poll("r", name, queue.First); polled.Status != queue.Current {
		t.Fatalf("a reset from another cursor dropped the queue: %v", polled)
	}
	published, version := w.publications(), w.version()
	if done, err := w.Reset(t.Context(), shard, w.cursor, to); !done || err != nil {
		t.Errorf("reset: %v, %v", done, err)
	}
	if polled := w.poll("r", name, queue.First); polled.Status != queue.Gone {
		t.Errorf("queue after a reset: %v", polled)
	}
	if cursor, _, _ := w.Cursor(t.Context(), shard); !cursor.Equal(to) {
		t.Errorf("cursor %v", cursor)
	}
	if diff := cmp.Diff([]string{"gone\n" + name + " 0-0", "reset\n- 0-0"}, published()); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	changes, _, ok, err := w.Changes(t.Context(), shard, version)
	if err != nil || !ok || len(changes) != 1 || !changes[0].Gone || changes[0].Queue.ID != name {
		t.Errorf("changes %v %v %v", changes, ok, err)
	}
	for _, key := range []string{"queues", "snapshots", "holders"} {
		if n := w.client.Exists(t.Context(), "{s3}:"+key).Val(); n != 0 {
			t.Errorf("%s is left", key)
		}
	}
}

// A shard that has lost its cursor starts without queues: nobody knows which events they lack.
func TestStartWithoutCursor(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	w.must(w.client.Del(t.Context(), "{s3}:cursor").Err())
	w.must(w.StartCursor(t.Context(), shard, at(500)))
	if polled := w.poll("r", name, queue.First); polled.Status != queue.Gone {
		t.Errorf("the queue that may lack events: %v", polled)
	}
	other := w.register()
	w.must(w.StartCursor(t.Context(), shard, at(700)))
	if cursor, _, _ := w.Cursor(t.Context(), shard); !cursor.Equal(at(500)) {
		t.Errorf("a second start moved the cursor to %v", cursor)
	}
	if polled := w.poll("r", other, queue.First); polled.Status != queue.Current {
		t.Errorf("after a second start: %v", polled)
	}
}

// Many queues are dropped by several calls, since Redis does nothing else meanwhile. The cursor is set when all are gone.
func TestResetMany(t *testing.T) {
	t.Parallel()
	w := open(t)
	names := []string{}
	for range 600 {
		names = append(names, w.register())
	}
	b := &busiest{calls: map[string]int{}}
	w.client.AddHook(b)
	if done, err := w.Reset(t.Context(), shard, w.cursor, at(500)); !done || err != nil {
		t.Errorf("reset: %v, %v", done, err)
	}
	lengths, err := w.Lengths(t.Context(), shard, names)
	w.must(err)
	queues, _, err := w.Registry(t.Context(), shard)
	w.must(err)
	if cursor, _, _ := w.Cursor(t.Context(), shard); !cursor.Equal(at(500)) || slices.Max(lengths) > 0 || len(queues) > 0 || b.calls["chatserver2_reset"] != 3 {
		t.Errorf("cursor %v, %d registered, calls %v", cursor, len(queues), b.calls)
	}
}
