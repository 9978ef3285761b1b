package queue_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// openOn returns a client, with the functions loaded, for a Redis of some topology.
func openOn(t *testing.T, config queue.Config) (redis.UniversalClient, *queue.Redis) {
	t.Helper()
	client, err := queue.Connect(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	r := queue.New(client)
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return client, r
}

// TestTopologies uses everything that the product requires of Redis, in each topology. The shards' keys are spread
// over a cluster's nodes.
func TestTopologies(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	t.Run("single", func(t *testing.T) {
		t.Parallel()
		everywhere(t, queue.Config{URL: testbed.Redis(t), Topology: "single"})
	})
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		url, primary, _ := testbed.RedisSentinel(t)
		config := queue.Config{URL: url, Topology: "sentinel"}
		everywhere(t, config)
		// The primary fails, and the replica takes over with queues and functions.
		client, r := openOn(t, config)
		w := &world{Redis: r, t: t, client: client, cursor: at(101)} // where walk has left it
		name := w.register()
		w.must(client.Do(t.Context(), "wait", 1, 5000).Err())
		w.must(primary.Kill())
		testbed.Until(t, "a replica has taken over", func() bool { return r.Ping(t.Context()) == nil })
		w.dispatch(name)
		if diff := cmp.Diff([]int64{2}, numbers(w.poll("r", name, queue.First))); diff != "" {
			t.Errorf("after the failover (-want +got):\n%s", diff)
		}
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		url, nodes := testbed.RedisCluster(t)
		everywhere(t, queue.Config{URL: url, Topology: "cluster"})
		for i, node := range nodes {
			single, err := queue.Connect(queue.Config{URL: node.URL()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = single.Close() })
			if keys := single.DBSize(t.Context()).Val(); keys == 0 {
				t.Errorf("node %d has no keys", i)
			}
		}
		// A missing node is reported, but a process with the others is ready, and starts.
		config := queue.Config{URL: url, Topology: "cluster"}
		_, r := openOn(t, config)
		for i, node := range nodes {
			if err := node.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := r.Check(t.Context()); err == nil {
				t.Error("a missing node wasn't reported")
			}
			if i > 0 {
				continue // the last one has seen that the others are missing
			}
			if err := r.Ping(t.Context()); err != nil {
				t.Errorf("with a node gone: %v", err)
			}
			openOn(t, config)
		}
		if err := r.Ping(t.Context()); err == nil {
			t.Error("a cluster without nodes answers")
		}
	})
}

// everywhere tests everything that all topologies must support.
func everywhere(t *testing.T, config queue.Config) {
	t.Helper()
	if err := queue.Preflight(t.Context(), config); err != nil {
		t.Errorf("preflight: %v", err)
	}
	client, r := openOn(t, config)
	events := listen(t, &world{Redis: r, t: t})
	for number := range 16 {
		walk(t, client, r, number, events)
	}
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, wanted, err := r.Join(ctx, "r", time.Now(), time.Minute, true); err != nil || n != 1 || !wanted {
		t.Errorf("%d replicas, %v", n, err)
	}
	must(r.Leave(ctx, "r"))
	must(r.Ping(ctx))

	limiter, now := limit.NewShared(client, limit.Rule{Calls: 1, Window: time.Hour}, testbed.Logger(t)), time.Now()
	throttle, reports := limit.NewThrottle(client), presence.NewStore(client)
	for n := range 20 {
		user, org := id.User(n), id.Org(n)
		if !limiter.Allow(ctx, user, now).Allowed || limiter.Allow(ctx, user, now).Allowed {
			t.Errorf("the limit of user %d doesn't hold", n)
		}
		for _, want := range []bool{true, false} {
			if first, err := throttle.First(ctx, strconv.Itoa(n), time.Hour); err != nil || first != want {
				t.Errorf("throttle: %v, %v", first, err)
			}
		}
		by, report := presence.Reporter{Org: org, User: user, Client: "web"}, presence.Report{Status: presence.Active, At: now.Unix()}
		if news, all, err := reports.Report(ctx, by, report, true); err != nil || !news || len(all) != 1 {
			t.Errorf("presence: %v %v %v", news, all, err)
		}
		must(reports.MarkReported(ctx, by, report))
		if all, err := reports.All(ctx, org, now); err != nil || len(all) != 1 {
			t.Errorf("presence: %v %v", all, err)
		}
		must(reports.Forget(ctx, org))
	}
}

// walk uses queues of one shard from creation to removal.
func walk(t *testing.T, client redis.UniversalClient, r *queue.Redis, number int, events recorder) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("shard %d: %v", number, err)
		}
	}
	from, to := at(100), at(101)
	must(r.StartCursor(ctx, number, from))
	one, short := queue.NewID(number), queue.NewID(number)
	must(r.Register(ctx, number, one, queue.Descriptor{Org: 1, User: 2, Lifetime: 60}, queue.Quota{}))
	must(r.Register(ctx, number, short, queue.Descriptor{Org: 1, User: 2, Lifetime: 1}, queue.Quota{}))
	must(r.SetSnapshot(ctx, number, one, "7:7:"))
	if d, snapshot, ok, err := r.Find(ctx, number, one); err != nil || !ok || d.User != 2 || snapshot != "7:7:" {
		t.Errorf("shard %d: found %+v %q %v %v", number, d, snapshot, ok, err)
	}
	queues, version, err := r.Registry(ctx, number)
	if must(err); len(queues) != 2 {
		t.Errorf("shard %d: registry %+v", number, queues)
	}
	if changes, _, ok, err := r.Changes(ctx, number, version-2); err != nil || !ok || len(changes) != 2 {
		t.Errorf("shard %d: changes %+v %v %v", number, changes, ok, err)
	}
	outcome, gone, err := r.Dispatch(ctx, number, from, to, version, []queue.Append{{Event: to.Position, Payload: []byte("{}"), Queues: []string{one, "0.gone"}}})
	if must(err); outcome != queue.Done || len(gone) != 1 {
		t.Errorf("shard %d: dispatch %v %v", number, outcome, gone)
	}
	events.until(t, func(c call) bool { return c.What == "appended" && c.To[0] == queue.Woken{Queue: one, Number: 2} })
	if payloads, err := r.Payloads(ctx, number, []store.Position{to.Position, from.Position}); err != nil || len(payloads) != 1 || string(payloads[to.Position]) != "{}" {
		t.Errorf("shard %d: payloads %v %v", number, payloads, err)
	}
	polled, err := r.Poll(ctx, number, "r", []queue.PollRequest{{Queue: one, Acknowledged: queue.First, Read: queue.First, TTL: 60}})
	if must(err); len(polled[0].Entries) != 1 || polled[0].Entries[0].Number != 2 {
		t.Errorf("shard %d: polled %+v", number, polled)
	}
	if got, err := r.Lease(ctx, number, "r", time.Minute); err != nil || !got {
		t.Errorf("shard %d: lease %v %v", number, got, err)
	}
	must(r.Release(ctx, number, "r"))
	if number == 0 { // once is enough
		time.Sleep(1200 * time.Millisecond)
		if lengths, err := r.Lengths(ctx, number, []string{one, short}); err != nil || lengths[0] != 2 || lengths[1] != 0 {
			t.Errorf("lengths %v %v", lengths, err)
		}
		must(r.Forget(ctx, number, []string{one, short}))
		if queues, _, err := r.Registry(ctx, number); err != nil || len(queues) != 1 {
			t.Errorf("after forgetting: %v %v", queues, err)
		}
	}
	if there, err := r.Unregister(ctx, number, one); err != nil || !there {
		t.Errorf("shard %d: unregister %v %v", number, there, err)
	}
	events.until(t, func(c call) bool { return c.What == "removed" && c.Queue == one })
	if number%2 == 0 {
		if done, err := r.Reset(ctx, number, to, from); err != nil || !done {
			t.Errorf("shard %d: reset %v %v", number, done, err)
		}
	}
	waker := queue.NewWaker(client, nil, testbed.Logger(t))
	go func() { _ = waker.Run(ctx) }()
	waker.Wake(number)
	events.until(t, func(c call) bool { return c.What == "log" && c.Shard == number })
}

// until waits for a call that matches.
func (r recorder) until(t *testing.T, matches func(call) bool) {
	t.Helper()
	for !matches(r.next(t)) {
	}
}

func TestTopologyMistakes(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	for want, config := range map[string]queue.Config{
		`REDIS_TOPOLOGY: "ring" is none of`:                  {URL: "redis://redis", Topology: "ring"},
		"REDIS_URL is missing":                               {Topology: "cluster"},
		"add ?master_name=…":                                 {URL: "redis://redis", Topology: "sentinel"},
		"REDIS_CA_FILE is for TLS only":                      {URL: "redis://redis", CAFile: "/nowhere"},
		"REDIS_CA_FILE: open /nowhere":                       {URL: "rediss://redis", CAFile: "/nowhere"},
		"has no certificate":                                 {URL: "rediss://redis?master_name=m", Topology: "sentinel", CAFile: "topology_test.go"},
		"topology_test.go has no":                            {URL: "rediss://redis", Topology: "cluster", CAFile: "topology_test.go"},
		"the Redis Cluster can't be reached":                 {URL: "redis://127.0.0.1:1", Topology: "cluster"},
		"the Redis that the sentinels name can't be reached": {URL: "redis://127.0.0.1:1?master_name=m", Topology: "sentinel"},
	} {
		if err := queue.Preflight(ctx, config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", config, err, want)
		}
	}
}
