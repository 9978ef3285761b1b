package queue_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// shard is the shard of most tests.
const shard = 3

// world is an empty Redis with the functions loaded, and a client for direct access.
type world struct {
	*queue.Redis
	t      *testing.T
	client redis.UniversalClient
	cursor queue.Cursor
}

// open returns a world whose shard has a cursor.
func open(t *testing.T) *world {
	t.Helper()
	client, err := queue.Connect(queue.Config{URL: testbed.Redis(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	w := &world{Redis: queue.New(client), t: t, client: client, cursor: at(100)}
	w.must(w.Load(t.Context()))
	w.must(w.StartCursor(t.Context(), shard, w.cursor))
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// at returns the cursor after an event.
func at(id int64) queue.Cursor {
	return queue.Cursor{Incarnation: "db.1", Place: queue.Place{Position: store.Position{Xid: 7, ID: id}}}
}

// register registers a queue with a lifetime of a minute.
func (w *world) register() string {
	w.t.Helper()
	name := queue.NewID(shard)
	w.must(w.Register(w.t.Context(), shard, name, queue.Descriptor{Org: 1, User: 2, Lifetime: 60}, queue.Quota{}))
	return name
}

func (w *world) version() int64 {
	w.t.Helper()
	_, version, err := w.Registry(w.t.Context(), shard)
	w.must(err)
	return version
}

// dispatch appends the next event to queues. It must succeed.
func (w *world) dispatch(queues ...string) (event store.Position, gone []string) {
	w.t.Helper()
	to := at(w.cursor.ID + 1)
	outcome, gone, err := w.Dispatch(w.t.Context(), shard, w.cursor, to, w.version(), []queue.Append{
		{Event: to.Position, Payload: []byte(`{"type":"test"}`), Queues: queues},
	})
	w.must(err)
	if outcome != queue.Done {
		w.t.Fatalf("dispatch: outcome %d", outcome)
	}
	w.cursor = to
	return to.Position, gone
}

// poll polls a queue once, at a replica.
func (w *world) poll(replica, name string, acknowledged int64) queue.PollResult {
	w.t.Helper()
	polled, err := w.Poll(w.t.Context(), shard, replica, []queue.PollRequest{{Queue: name, Acknowledged: acknowledged, Read: acknowledged, TTL: 60}})
	w.must(err)
	return polled[0]
}

// numbers returns the numbers of the entries.
func numbers(p queue.PollResult) []int64 {
	all := []int64{}
	for _, e := range p.Entries {
		all = append(all, e.Number)
	}
	return all
}

// publications subscribes to a shard's wake channel, and returns a function that returns the messages since the last
// call.
func (w *world) publications() func() []string {
	w.t.Helper()
	sub := w.client.Subscribe(w.t.Context(), "{s3}:wake", "end")
	for range 2 {
		_, err := sub.Receive(w.t.Context())
		w.must(err)
	}
	w.t.Cleanup(func() { _ = sub.Close() })
	return func() []string {
		w.t.Helper()
		w.must(w.client.Publish(w.t.Context(), "end", "").Err())
		all := []string{}
		for {
			m, err := sub.ReceiveMessage(w.t.Context())
			w.must(err)
			if m.Channel == "end" {
				return all
			}
			all = append(all, m.Payload)
		}
	}
}
