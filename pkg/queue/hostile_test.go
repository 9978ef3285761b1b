package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// answering is the beginning of a library whose functions return what the key "answer" has as JSON.
const answering = `#!lua name=chatserver2
local function answer() return cjson.decode(redis.call('GET', 'answer')) end
`

// Whatever functions return, no caller panics: whoever can write to Redis can replace them.
func TestAnyAnswer(t *testing.T) {
	t.Parallel()
	w := open(t)
	library := strings.Builder{}
	library.WriteString(answering)
	for _, name := range []string{"register", "snapshot", "unregister", "forget", "changes", "dispatch", "poll", "lease", "repair"} {
		fmt.Fprintf(&library, "redis.register_function('chatserver2_%s', answer)\n", name)
	}
	w.must(w.client.FunctionLoadReplace(t.Context(), library.String()).Err())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	name, polls := queue.NewID(shard), make([]queue.PollRequest, 2)
	for _, answer := range []string{
		`[]`, `[[]]`, `[[[]]]`, `{}`, `0`, `-9`, `9e18`, `true`, `false`, `""`, `"ok"`, `["ok"]`, `["ok",7]`, `["ok",[7,[]]]`, `["7"]`, `[7]`, `["x",[]]`,
		`["7",["a"]]`, `["7",["a",7,"b"]]`, `["7",["a","{}","b","7 {}"]]`, `["7",[[],{}]]`, `[["a"]]`, `[[1]]`, `[[1,"7.1 0"]]`, `[[1,"7.1 0",2]]`,
		`[[-1,"7.1 0"],-7]`, `[0,0,0]`, `[{},{}]`, `["malformed"]`, `["cursor"]`, `["version",[]]`,
	} {
		w.must(w.client.Set(ctx, "answer", answer, 0).Err())
		_ = w.Register(ctx, shard, name, queue.Descriptor{}, queue.Quota{})
		_ = w.SetSnapshot(ctx, shard, name, "7:7:")
		_, _ = w.Unregister(ctx, shard, name)
		_ = w.Forget(ctx, shard, []string{name})
		_, _, _, _ = w.Changes(ctx, shard, 7)
		_, _, _ = w.Dispatch(ctx, shard, w.cursor, at(101), 7, []queue.Append{{Event: store.Position{Xid: 7, ID: 101}, Queues: []string{name}}})
		if results, err := w.Poll(ctx, shard, "one", polls); err == nil && (len(results) == 0 || len(results) > len(polls)) {
			t.Errorf("%s: %d answers to %d polls", answer, len(results), len(polls))
		}
		_, _ = w.Lease(ctx, shard, "one", time.Second)
	}
}

// Keys that have another type are removed by the first call that needs them. Then everything works, if need be with a cursor and queues that
// are new.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	w := open(t)
	name, version := "", int64(0)
	calls := map[string]func() error{
		"Cursor":   func() error { _, _, err := w.Cursor(t.Context(), shard); return err },
		"Lease":    func() error { _, err := w.Lease(t.Context(), shard, "r", time.Minute); return err },
		"Release":  func() error { return w.Release(t.Context(), shard, "r") },
		"Registry": func() error { _, _, err := w.Registry(t.Context(), shard); return err },
		"Changes":  func() error { _, _, _, err := w.Changes(t.Context(), shard, version); return err },
		"Register": func() error {
			err := w.Register(t.Context(), shard, queue.NewID(shard), queue.Descriptor{Org: 1, User: 2}, queue.Quota{})
			if errors.Is(err, queue.ErrNoCursor) {
				return nil
			}
			return err
		},
		"SetSnapshot": func() error { return w.SetSnapshot(t.Context(), shard, name, "7:7:") },
		"Find":        func() error { _, _, _, err := w.Find(t.Context(), shard, name); return err },
		"Poll": func() error {
			polls := []queue.PollRequest{{Queue: name, Acknowledged: queue.First, Read: queue.First, TTL: 60}}
			_, err := w.Poll(t.Context(), shard, "another", polls)
			return err
		},
		"Dispatch": func() error {
			to := at(w.cursor.ID + 1)
			_, _, err := w.Dispatch(t.Context(), shard, w.cursor, to, version, []queue.Append{{Event: to.Position, Payload: []byte("{}"), Queues: []string{name}}})
			return err
		},
		"Forget":     func() error { return w.Forget(t.Context(), shard, []string{name}) },
		"Unregister": func() error { _, err := w.Unregister(t.Context(), shard, name); return err },
		"Reset":      func() error { _, err := w.Reset(t.Context(), shard, w.cursor, at(1)); return err },
	}
	for _, key := range []string{"cursor", "lease", "version", "changes", "queues", "snapshots", "holders", "account:1.2", "queue:%s"} {
		for first, call := range calls {
			w.must(w.client.FlushAll(t.Context()).Err())
			w.must(w.Load(t.Context()))
			w.cursor = at(100)
			w.must(w.StartCursor(t.Context(), shard, w.cursor))
			name = w.register()
			w.must(w.SetSnapshot(t.Context(), shard, name, "7:7:"))
			w.poll("r", name, queue.First)
			w.must(calls["Lease"]())
			version = w.version()
			damaged := "{s3}:" + strings.Replace(key, "%s", name, 1)
			w.must(w.client.Del(t.Context(), damaged).Err())
			w.must(w.client.SAdd(t.Context(), damaged, "x").Err())
			if err := call(); err != nil {
				t.Errorf("%s with a damaged %s: %v", first, key, err)
			}
			for other, call := range calls {
				if err := call(); err != nil {
					t.Errorf("%s with a damaged %s, after %s: %v", other, key, first, err)
				}
			}
			if _, ok, err := w.Cursor(t.Context(), shard); err != nil || !ok {
				w.must(err)
				w.must(w.StartCursor(t.Context(), shard, at(100)))
			}
			w.cursor, _, _ = w.Cursor(t.Context(), shard)
			name = w.register()
			w.dispatch(name)
			if got := w.poll("r", name, queue.First); len(got.Entries) != 1 {
				t.Errorf("%s with a damaged %s: %v", first, key, got)
			}
		}
	}
}

// If the list of queues is lost, so are the queues: no event would be appended to those that processes know.
func TestListOfQueuesOfAnotherType(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.register()
	w.must(w.client.Set(t.Context(), "{s3}:queues", "x", 0).Err())
	if _, _, err := w.Registry(t.Context(), shard); err != nil {
		t.Error(err)
	}
	if _, ok, err := w.Cursor(t.Context(), shard); ok || err != nil {
		t.Errorf("there is a cursor: %v, %v", ok, err)
	}
}

// A queue whose registration can't be read is removed, so its client registers again. The shard's other queues are read.
func TestUnreadableQueues(t *testing.T) {
	t.Parallel()
	w := open(t)
	good := w.register()
	for i, entry := range []string{"", " ", "7", "x {}", "7 {", `7 {"org":"1"}`, `7 []`, `7 {"org":1,"user":2,"narrow":[7]}`, "99999999999999999999 {}"} {
		before, bad := w.version(), fmt.Sprintf("%s %d\n", queue.NewID(shard), i)
		w.must(w.client.HSet(t.Context(), "{s3}:queues", bad, entry).Err())
		w.must(w.client.HSet(t.Context(), "{s3}:snapshots", bad, "7:7:").Err())
		if _, _, ok, err := w.Find(t.Context(), shard, bad); ok || err != nil {
			t.Errorf("%q: found: %v, %v", entry, ok, err)
		}
		w.must(w.client.XAdd(t.Context(), &redis.XAddArgs{
			Stream: "{s3}:changes", ID: fmt.Sprintf("0-%d", w.client.Incr(t.Context(), "{s3}:version").Val()), Values: []string{"q", bad},
		}).Err())
		if changes, _, ok, err := w.Changes(t.Context(), shard, before); err != nil || ok && (len(changes) != 1 || !changes[0].Gone) {
			t.Errorf("%q: changes: %v, %v, %v", entry, changes, ok, err)
		}
		queues, version, err := w.Registry(t.Context(), shard)
		if err != nil || len(queues) != 1 || queues[0].ID != good {
			t.Errorf("%q: registry: %v, %v", entry, queues, err)
		}
		if w.client.HExists(t.Context(), "{s3}:queues", bad).Val() {
			t.Errorf("%q isn't removed", entry)
		}
		if changes, _, ok, err := w.Changes(t.Context(), shard, version); !ok || err != nil || len(changes) != 1 || !changes[0].Gone {
			t.Errorf("%q: changes after the removal: %v, %v, %v", entry, changes, ok, err)
		}
	}
}

// A queue whose key has another type, or whose entries can't be read, is removed, and the other queues of the same call are
// polled. So is one of another type that nobody polls, as if it had expired.
func TestUnreadableEntries(t *testing.T) {
	t.Parallel()
	w := open(t)
	good := w.register()
	w.dispatch(good)
	entry := func(id, text string) func(key string) error {
		return func(key string) error {
			return w.client.XAdd(t.Context(), &redis.XAddArgs{Stream: key, ID: id, Values: []string{"e", text}}).Err()
		}
	}
	for name, damage := range map[string]func(key string) error{
		"another type": func(key string) error { return w.client.Set(t.Context(), key, "x", 0).Err() },
		"no pointer":   entry("0-2", ""),
		"no event":     entry("0-2", "x.y 0"),
		"no flags":     entry("0-2", "7.101 x"),
		"another id":   entry("1700000000000-0", "7.101 0"),
		"another field": func(key string) error {
			return w.client.XAdd(t.Context(), &redis.XAddArgs{Stream: key, ID: "0-2", Values: []string{"x", ""}}).Err()
		},
	} {
		bad := w.register()
		w.must(damage("{s3}:queue:" + bad))
		polls := []queue.PollRequest{}
		for _, name := range []string{bad, good} {
			polls = append(polls, queue.PollRequest{Queue: name, Acknowledged: queue.First, Read: queue.First, TTL: 60})
		}
		polled, err := w.Poll(t.Context(), shard, "r", polls)
		if err != nil || len(polled) != 2 || polled[0].Status != queue.Gone || len(polled[1].Entries) != 1 {
			t.Errorf("%s: %v, %v", name, polled, err)
		}
		if w.client.HExists(t.Context(), "{s3}:queues", bad).Val() || w.client.Exists(t.Context(), "{s3}:queue:"+bad).Val() != 0 {
			t.Errorf("%s: the queue isn't removed", name)
		}
	}
	idle := w.register()
	w.must(w.client.Set(t.Context(), "{s3}:queue:"+idle, "x", 0).Err())
	if lengths, err := w.Lengths(t.Context(), shard, []string{idle, good}); err != nil || lengths[0] != 0 || lengths[1] != 2 {
		t.Errorf("lengths %v, %v", lengths, err)
	}
	w.must(w.Forget(t.Context(), shard, []string{idle, good}))
	if queues, _, err := w.Registry(t.Context(), shard); err != nil || len(queues) != 1 || queues[0].ID != good {
		t.Errorf("queues %v, %v", queues, err)
	}
}

// If the version of the registry isn't a number, or is behind the changes, it begins again, and readers read everything.
func TestUnusableVersion(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.register()
	last := w.version()
	for _, version := range []string{"x", "", "7", "-7", "9223372036854775807", "1e3", "007"} {
		time.Sleep(5 * time.Millisecond) // a version is a time in milliseconds at first
		w.must(w.client.Set(t.Context(), "{s3}:version", version, 0).Err())
		w.register()
		now := w.version()
		if _, _, ok, err := w.Changes(t.Context(), shard, last); now <= last || ok || err != nil {
			t.Errorf("%q: version %d after %d: the changes are known: %v, %v", version, now, last, ok, err)
		}
		w.register()
		if changes, _, ok, err := w.Changes(t.Context(), shard, now); !ok || len(changes) != 1 || err != nil {
			t.Errorf("%q: changes %v, %v, %v", version, changes, ok, err)
		}
		last = w.version()
		w.must(w.client.Set(t.Context(), "{s3}:version", version, 0).Err())
		if _, _, ok, err := w.Changes(t.Context(), shard, last); ok || err != nil {
			t.Errorf("%q: the changes are known: %v", version, err)
		}
		if queues, _, err := w.Registry(t.Context(), shard); len(queues) == 0 || err != nil {
			t.Errorf("%q: queues %v, %v", version, queues, err)
		}
	}
	w.must(w.client.Set(t.Context(), "{s3}:changes", "x", 0).Err())
	w.register()
}

// A lease that never ends, or far later than any that a replica takes, keeps no replica from taking the shard.
func TestEndlessLease(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, life := range []time.Duration{0, time.Hour} {
		w.must(w.client.Set(t.Context(), "{s3}:lease", "nobody", life).Err())
		if got, err := w.Lease(t.Context(), shard, "one", time.Second); !got || err != nil {
			t.Errorf("%v: got %v, %v", life, got, err)
		}
		if got, err := w.Lease(t.Context(), shard, "two", time.Second); got || err != nil {
			t.Errorf("%v: a second replica got %v, %v", life, got, err)
		}
	}
}
