package waiting_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/waiting"
)

// slow blocks each reading of payloads of a shard until it is opened.
type slow struct {
	prefix  string
	reading chan struct{} // gets one for each
	open    chan struct{}
}

func (s *slow) DialHook(next redis.DialHook) redis.DialHook { return next }
func (s *slow) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s *slow) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if key, _ := cmd.Args()[1].(string); cmd.Name() == "mget" && strings.HasPrefix(key, s.prefix) {
			s.reading <- struct{}{}
			<-s.open
		}
		return next(ctx, cmd)
	}
}

// An event whose payload is read slowly delays neither other shards nor polls of its own shard whose event is in
// memory. Payloads of later events are then read together.
func TestSlowPayloadHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := open(t)
	s := &slow{prefix: "{s3}", reading: make(chan struct{}, 10), open: make(chan struct{})}
	w.client.AddHook(s)
	release := sync.OnceFunc(func() { close(s.open) })
	defer release()
	r, names := w.unsubscribed("one"), []string{}
	for range 4 {
		names = append(names, w.register(""))
	}
	other := queue.NewID(2)
	from := w.cursor
	w.must(w.redis.StartCursor(t.Context(), 2, from))
	w.must(w.redis.Register(t.Context(), 2, other, queue.Descriptor{Org: 2, User: 2, Lifetime: 60}, queue.Quota{}))
	w.must(w.redis.SetSnapshot(t.Context(), 2, other, "1:1:"))
	polls := []chan waiting.Answer{}
	for _, name := range append(slices.Clone(names), other) {
		polls = append(polls, r.poll(name, queue.First))
	}
	r.parked(5)
	appended := func(shard int, name string, pointer queue.Pointer) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.Appended(t.Context(), shard, pointer, []queue.Woken{{Queue: name, Number: 2}})
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("the wake-up waits for the payload")
		}
	}
	gets := func(i int) {
		t.Helper()
		if got := w.answer(polls[i]); !slices.Equal(numbers(got), []int64{2}) {
			t.Errorf("poll %d got %v", i, got)
		}
	}
	first := queue.Pointer{Event: w.dispatch(farAway, names[0])}
	appended(number, names[0], first)
	<-s.reading
	for _, name := range names[1:3] {
		appended(number, name, queue.Pointer{Event: w.dispatch(farAway, name)})
	}
	inMemory := queue.Pointer{Event: w.dispatch(farAway, names[3])}
	r.payloads.Put(inMemory.Event, 1, []byte(`{"type":"test"}`), time.Time{})
	appended(number, names[3], inMemory)
	gets(3)
	to := from
	to.ID++
	_, version, err := w.redis.Registry(t.Context(), 2)
	w.must(err)
	_, _, err = w.redis.Dispatch(t.Context(), 2, from, to, version, []queue.Append{{Event: to.Position, Payload: []byte(`{"type":"test"}`), Queues: []string{other}}})
	w.must(err)
	appended(2, other, queue.Pointer{Event: to.Position})
	gets(4)
	release()
	for i := range 3 {
		gets(i)
	}
	if more := len(s.reading); more != 1 {
		t.Errorf("two events were read in %d calls", more)
	}
}
