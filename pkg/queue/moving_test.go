package queue_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

// move is the move of a shard to another server of a Redis Cluster.
type move struct {
	*world
	slot             int64
	from, to         *redis.Client
	fromName, toName string
}

// startMove begins to move the shard to another server.
func startMove(w *world) *move {
	w.t.Helper()
	ctx, cluster := w.t.Context(), w.client.(*redis.ClusterClient)
	m := &move{world: w, slot: cluster.ClusterKeySlot(ctx, "{s3}").Val()}
	var err error
	m.from, err = cluster.MasterForKey(ctx, "{s3}")
	w.must(err)
	for other := 0; m.to == nil || m.to == m.from; other++ {
		m.to, err = cluster.MasterForKey(ctx, strings.Repeat("x", other))
		w.must(err)
	}
	m.fromName, m.toName = m.from.ClusterMyID(ctx).Val(), m.to.ClusterMyID(ctx).Val()
	w.must(m.to.Do(ctx, "cluster", "setslot", m.slot, "importing", m.fromName).Err())
	w.must(m.from.Do(ctx, "cluster", "setslot", m.slot, "migrating", m.toName).Err())
	return m
}

// keys moves the keys that have one of the suffixes; none: all that are left.
func (m *move) keys(suffixes ...string) {
	m.t.Helper()
	for _, key := range m.from.ClusterGetKeysInSlot(m.t.Context(), int(m.slot), 1000).Val() {
		moves := len(suffixes) == 0
		for _, suffix := range suffixes {
			moves = moves || strings.HasSuffix(key, suffix)
		}
		if moves {
			host, port, _ := strings.Cut(m.to.Options().Addr, ":")
			m.must(m.from.Migrate(m.t.Context(), host, port, key, 0, 0).Err())
		}
	}
}

// end ends the move.
func (m *move) end() {
	m.t.Helper()
	for _, server := range []*redis.Client{m.to, m.from} {
		m.must(server.Do(m.t.Context(), "cluster", "setslot", m.slot, "node", m.toName).Err())
	}
}

// While Redis moves a shard to another server, key by key, no server has all keys. Calls fail then, and change nothing:
// a queue that another server has isn't taken for one that has expired.
func TestShardMoves(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	url, _ := testbed.RedisCluster(t)
	client, r := openOn(t, queue.Config{URL: url, Topology: "cluster"})
	w := &world{Redis: r, t: t, client: client, cursor: at(100)}
	w.must(w.StartCursor(t.Context(), shard, w.cursor))
	one, two := w.register(), w.register()
	w.dispatch(one, two)
	version := w.version()

	m := startMove(w)
	steps := []func(){
		func() {}, // all keys are where they were
		func() { m.keys(":queue:" + one) },
		func() { m.keys(":cursor") },
		func() { m.keys(":version", ":changes") },
		func() { m.keys() },
	}
	for i, step := range steps {
		step()
		calls := map[string]func() error{
			"dispatch": func() error {
				_, _, err := r.Dispatch(t.Context(), shard, w.cursor, at(w.cursor.ID+1), version,
					[]queue.Append{{Event: at(w.cursor.ID + 1).Position, Payload: []byte("{}"), Queues: []string{one, two, queue.NewID(shard)}}})
				return err
			},
			"changes": func() error { _, _, _, err := r.Changes(t.Context(), shard, version); return err },
			"forget":  func() error { return r.Forget(t.Context(), shard, []string{one, two}) },
			"register": func() error {
				return r.Register(t.Context(), shard, queue.NewID(shard), queue.Descriptor{Org: 1, User: 2, Lifetime: 60}, queue.Quota{})
			},
			"poll": func() error {
				_, err := r.Poll(t.Context(), shard, "r", []queue.PollRequest{{Queue: one, Acknowledged: queue.First, Read: queue.First, TTL: 60}})
				return err
			},
		}
		for name, call := range calls {
			if err := call(); fault.Of(err) == nil || fault.Of(err).Kind != fault.Unavailable {
				t.Errorf("step %d: %s: %v", i, name, err)
			}
		}
	}
	m.end()

	w.dispatch(one, two)
	for _, name := range []string{one, two} {
		if diff := cmp.Diff([]int64{2, 3}, numbers(w.poll("r", name, queue.First))); diff != "" {
			t.Errorf("after the move (-want +got):\n%s", diff)
		}
	}
	if queues, now, err := r.Registry(t.Context(), shard); err != nil || len(queues) != 2 || now != version {
		t.Errorf("after the move: %d queues in version %d, want 2 in %d; %v", len(queues), now, version, err)
	}
}

// A server that has left the cluster still answers, but has no news: its subscription is replaced.
func TestListenNoticesServerThatLeft(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	url, _ := testbed.RedisCluster(t)
	client, r := openOn(t, queue.Config{URL: url, Topology: "cluster"})
	r.SetSilence(2 * time.Second)
	w := &world{Redis: r, t: t, client: client, cursor: at(100)}
	w.must(w.StartCursor(t.Context(), shard, w.cursor))
	name, events := w.register(), listen(t, w)

	m := startMove(w)
	m.keys()
	m.end()
	for shards := m.from.ClusterShards(t.Context()); ; time.Sleep(50 * time.Millisecond) {
		server, err := client.(*redis.ClusterClient).MasterForKey(t.Context(), "{s3}")
		w.must(errors.Join(err, shards.Err()))
		if server.Options().Addr == m.to.Options().Addr {
			for _, other := range shards.Val() {
				if id := other.Nodes[0].ID; id != m.fromName {
					w.must(m.from.ClusterForget(t.Context(), id).Err())
				}
			}
			break
		}
	}
	w.must(m.to.ClusterForget(t.Context(), m.fromName).Err())
	w.must(m.from.Do(t.Context(), "acl", "setuser", "default", "-cluster").Err()) // clients learn of the servers from the others
	for deadline := time.Now().Add(time.Minute); ; {
		w.dispatch(name)
		select {
		case c := <-events:
			if c.What == "appended" {
				return
			}
		case <-time.After(100 * time.Millisecond):
			if time.Now().After(deadline) {
				t.Fatal("the subscription has no news")
			}
		}
	}
}
