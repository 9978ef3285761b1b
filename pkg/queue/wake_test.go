package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

// call is one call of a listener.
type call struct {
	What    string
	Shard   int
	Shards  int // number of shards
	Pointer queue.Pointer
	To      []queue.Woken
	Queue   string
	Replica string
}

// recorder is a listener that records its calls.
type recorder chan call

func (r recorder) LogNews(shard int)   { r <- call{What: "log", Shard: shard} }
func (r recorder) LeaseFree(shard int) { r <- call{What: "free", Shard: shard} }
func (r recorder) Appended(_ context.Context, shard int, p queue.Pointer, to []queue.Woken) {
	r <- call{What: "appended", Shard: shard, Pointer: p, To: to}
}

func (r recorder) Moved(name, replica string) {
	r <- call{What: "moved", Queue: name, Replica: replica}
}
func (r recorder) Removed(name string)      { r <- call{What: "removed", Queue: name} }
func (r recorder) Reset()                   { r <- call{What: "reset"} }
func (r recorder) Reconnected(shards []int) { r <- call{What: "reconnected", Shards: len(shards)} }

func (r recorder) next(t *testing.T) call {
	t.Helper()
	select {
	case c := <-r:
		return c
	case <-time.After(time.Minute):
		t.Fatal("the listener is not called")
		return call{}
	}
}

// listen starts a listener, and returns when it is subscribed to all channels.
func listen(t *testing.T, w *world) recorder {
	t.Helper()
	e := make(recorder, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.Listen(ctx, 16, e, testbed.Logger(t)); err != nil {
			t.Errorf("listen: %v", err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	for subscribed := 0; subscribed < 16; {
		s := e.next(t)
		if s.What != "reconnected" && s.What != "reset" {
			t.Fatalf("first: %v", s)
		}
		subscribed += s.Shards
	}
	return e
}

func TestListen(t *testing.T) {
	t.Parallel()
	w := open(t)
	e := listen(t, w)
	expect := func(want call) {
		t.Helper()
		if diff := cmp.Diff(want, e.next(t)); diff != "" {
			t.Errorf("got (-want +got):\n%s", diff)
		}
	}
	a, b := w.register(), w.register()
	event, _ := w.dispatch(a, b)
	expect(call{What: "appended", Shard: shard, Pointer: queue.Pointer{Event: event}, To: []queue.Woken{{Queue: a, Number: 2}, {Queue: b, Number: 2}}})
	w.poll("one", a, queue.First)
	expect(call{What: "moved", Queue: a, Replica: "one"})
	_, err := w.Unregister(t.Context(), shard, b)
	w.must(err)
	expect(call{What: "removed", Queue: b})
	w.must(w.client.ClientKillByFilter(t.Context(), "TYPE", "pubsub").Err())
	expect(call{What: "reset"}) // it may have been lost
	expect(call{What: "reconnected", Shards: 16})
	w.must(w.client.Publish(t.Context(), "{s3}:wake", "no sense").Err())
	expect(call{What: "reset"})
	expect(call{What: "reconnected", Shards: 1}) // whatever it was about
	_, err = w.Reset(t.Context(), shard, w.cursor, at(1))
	w.must(err)
	expect(call{What: "removed", Queue: a})
	expect(call{What: "reset"})
	waker := queue.NewWaker(w.client, nil, testbed.Logger(t))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- waker.Run(ctx) }()
	waker.Wake(5)
	expect(call{What: "log", Shard: 5})
	w.must(w.Release(t.Context(), 7, "one"))
	expect(call{What: "free", Shard: 7})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A silent subscription, whose server has failed without notice, is replaced.
func TestListenNoticesSilence(t *testing.T) {
	t.Parallel()
	w := open(t)
	wire := testbed.NewWire(t, w.client.(*redis.Client).Options().Addr)
	client, err := queue.Connect(queue.Config{URL: "redis://" + wire.Addr()})
	w.must(err)
	t.Cleanup(func() { _ = client.Close() })
	w.Redis = queue.New(client)
	w.SetSilence(300 * time.Millisecond)
	e := listen(t, w)
	wire.Sever()
	wire.Mend()
	for _, want := range []string{"reset", "reconnected"} {
		if got := e.next(t); got.What != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// Any number of requests in the meantime are merged into one publication per shard.
func TestWakerMerges(t *testing.T) {
	t.Parallel()
	w := open(t)
	e := listen(t, w)
	waker := queue.NewWaker(w.client, nil, testbed.Logger(t))
	for range 1000 {
		waker.Wake(2)
	}
	go func() { _ = waker.Run(t.Context()) }()
	if s := e.next(t); s.What != "log" || s.Shard != 2 {
		t.Errorf("got %v", s)
	}
	waker.Wake(9)
	if s := e.next(t); s.Shard != 9 {
		t.Errorf("got %v instead of shard 9", s)
	}
}

// With continuous requests it publishes at a pace, not for each message, and includes the last one.
func TestWakerPaces(t *testing.T) {
	t.Parallel()
	w := open(t)
	e := listen(t, w)
	waker := queue.NewWaker(w.client, nil, testbed.Logger(t))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- waker.Run(ctx) }()
	start := time.Now()
	for time.Since(start) < 100*time.Millisecond {
		waker.Wake(2)
		time.Sleep(100 * time.Microsecond)
	}
	limit := int(time.Since(start)/queue.Pace) + 2
	waker.Wake(7)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	events, last := 0, false
	for !last {
		switch s := e.next(t); s.Shard {
		case 2:
			events++
		case 7:
			last = true
		}
	}
	if events > limit {
		t.Errorf("%d publications in %v, more than %d", events, time.Since(start), limit)
	}
}
