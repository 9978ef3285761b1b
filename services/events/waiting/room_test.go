package waiting_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/waiting"
)

func TestWait(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("")
	q := r.find(name)
	if got := r.Wait(t.Context(), q, queue.First, true); got.Err != nil || got.Events != nil {
		t.Errorf("an empty queue: %v", got)
	}
	waits := r.poll(name, queue.First)
	r.parked(1)
	at := w.dispatch(farAway, name)
	got := w.answer(waits)
	if len(got.Events) != 1 || got.Events[0].Number != 2 || got.Events[0].Pointer.Event != at || got.Events[0].Event == nil {
		t.Errorf("got %v", got)
	}
	if r.Waiting() != 0 {
		t.Errorf("%d polls still wait", r.Waiting())
	}
	w.dispatch(farAway, name)
	if got := numbers(w.answer(r.poll(name, queue.First))); !slices.Equal(got, []int64{2, 3}) {
		t.Errorf("unacknowledged: %v", got)
	}
	for acknowledged, want := range map[int64]queue.Status{9: queue.Ahead, 0: queue.Pruned} {
		if got := w.answer(r.poll(name, acknowledged)); got.Status != want {
			t.Errorf("after %d: status %d", acknowledged, got.Status)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if got := r.Wait(ctx, q, 3, false); got.Err == nil || r.Waiting() != 0 {
		t.Errorf("after its end: %v, %d wait", got, r.Waiting())
	}
}

func TestFindUnknown(t *testing.T) {
	t.Parallel()
	w := open(t)
	r := w.unsubscribed("one")
	for _, name := range []string{"", "x", queue.NewID(storetest.Shards), queue.NewID(2)} {
		if q, err := r.Find(t.Context(), name); q != nil || err != nil {
			t.Errorf("%q: %v, %v", name, q, err)
		}
	}
}

// Clients of an organization that come back with many unread events, all at the same time, don't delay the poll of
// another organization of the shard.
func TestManyComeBack(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, names := w.room("one"), []string{}
	for range 12 {
		names = append(names, w.register(""))
	}
	small := w.registerIn(2, "")
	for range queue.MaxEntries/2 + 1 { // so that one call reads two queues
		w.dispatch(farAway, names...)
	}
	w.dispatch(farAway, small)
	polls := []*waiting.Poll{}
	for _, name := range names {
		polls = append(polls, r.Join(r.find(name), queue.First, false))
	}
	before := make(chan int, 1)
	wake := func() {
		count := 0
		for _, p := range polls {
			if p.HasAnswer() {
				count++
			}
		}
		before <- count
	}
	p := r.JoinAs(waiting.Client{Wake: wake}, r.find(small), queue.First, false)
	w.run(r.Run)
	if answered := <-before; answered > 1 {
		t.Errorf("the other organization is answered after %d polls of the large one", answered)
	}
	if got := p.Got(t.Context()); !slices.Equal(numbers(got), []int64{2}) {
		t.Errorf("it got %v", got)
	}
	for i, p := range polls {
		if got := p.Answer(t.Context()); len(got.Events) != queue.MaxEntries/2+1 || got.Err != nil {
			t.Errorf("poll %d got %d events, %v", i, len(got.Events), got.Err)
		}
	}
}

// The end of a queue answers its waiting poll, at once if the replica is notified. Otherwise, the poll after the next
// heartbeat finds the queue gone.
func TestQueueEnds(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, deleted, lost := w.replica("one"), w.register(""), w.register("")
	waits, forgotten := r.poll(deleted, queue.First), r.poll(lost, queue.First)
	r.parked(2)
	if _, err := w.redis.Unregister(t.Context(), number, deleted); err != nil {
		t.Fatal(err)
	}
	if got := w.answer(waits); got.Status != queue.Current || got.Err != nil || got.Events != nil {
		t.Errorf("deleted: %v", got)
	}
	if q, err := r.Find(t.Context(), deleted); q != nil || err != nil {
		t.Errorf("still known: %v, %v", q, err)
	}
	w.must(w.client.FlushAll(t.Context()).Err())
	w.passed.Store(int64(time.Minute))
	r.Look(t.Context())
	if got := w.answer(forgotten); !got.Heartbeat || got.Status != queue.Current {
		t.Errorf("lost: %v", got)
	}
	if got := w.answer(r.poll(lost, queue.First)); got.Status != queue.Gone {
		t.Errorf("after the heartbeat: %v", got)
	}
}

// Only the newest poll of a queue waits, at whichever replica.
func TestDisplaced(t *testing.T) {
	t.Parallel()
	w := open(t)
	one, two, name := w.replica("one"), w.replica("two"), w.register("")
	newest := (chan waiting.Answer)(nil)
	for _, r := range []room{one, one, two, one, two} {
		newest = r.displace(name, newest)
	}
	w.dispatch(farAway, name)
	got := w.answer(newest)
	for len(got.Events) == 0 && w.displaced(got) {
		got = w.answer(two.poll(name, queue.First))
	}
	if !slices.Equal(numbers(got), []int64{2}) {
		t.Errorf("the newest got %v", got)
	}
	if n := one.Waiting() + two.Waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// displace starts a poll, and returns its channel of answers when it waits and the poll before it has ended. A replica
// that learns late of the earlier poll ends the newer one; then displace polls again.
func (r room) displace(name string, before chan waiting.Answer) chan waiting.Answer {
	r.w.t.Helper()
	newest, late := r.poll(name, queue.First), time.After(10*time.Second)
	for ended := before == nil; !ended || r.Waiting() != 1; {
		select {
		case got := <-before:
			ended = r.w.displaced(got)
		case got := <-newest:
			r.w.displaced(got)
			newest = r.poll(name, queue.First)
		case <-time.After(time.Millisecond):
		case <-late:
			r.w.t.Fatalf("the poll before has ended: %v; %d polls wait", ended, r.Waiting())
		}
	}
	return newest
}

// displaced returns true if an answer is that of a displaced poll, and fails the test otherwise.
func (w *world) displaced(got waiting.Answer) bool {
	w.t.Helper()
	if got.Status != queue.Current || got.Err != nil || got.Events != nil || got.Heartbeat {
		w.t.Fatalf("displaced: %v", got)
	}
	return true
}

// Events in the initial state of a registration aren't delivered, wherever they are in the queue.
func TestInitialStateIsDropped(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("200:210:205")
	for _, xid := range []uint64{100, 201, 205, 209, 210} {
		w.dispatch(xid, name)
	}
	if got := numbers(w.answer(r.poll(name, queue.First))); !slices.Equal(got, []int64{4, 6}) {
		t.Errorf("got %v", got)
	}
	w.dispatch(150, name) // the newest
	waits := r.poll(name, 6)
	r.parked(1)
	w.dispatch(160, name) // while it waits
	time.Sleep(50 * time.Millisecond)
	if r.Waiting() != 1 {
		t.Fatal("the poll was answered")
	}
	w.dispatch(211, name)
	if got := numbers(w.answer(waits)); !slices.Equal(got, []int64{9}) {
		t.Errorf("got %v", got)
	}
	unread := r.poll(name, 6) // it acknowledges what it knows of, whatever was dropped
	if got := numbers(w.answer(unread)); !slices.Equal(got, []int64{9}) {
		t.Errorf("again: %v", got)
	}
	if got := r.Wait(t.Context(), r.find(name), 9, true); got.Err != nil || got.Status != queue.Current {
		t.Errorf("after all: %v", got)
	}
}

// The initial state can contain more entries than one call reads.
func TestMuchIsDropped(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("200:200:")
	w.dispatch(150, slices.Repeat([]string{name}, 1900)...)
	w.dispatch(150, slices.Repeat([]string{name}, 1900)...)
	w.dispatch(201, name)
	if got := numbers(w.answer(r.poll(name, queue.First))); !slices.Equal(got, []int64{3802}) {
		t.Errorf("got %v", got)
	}
	for acknowledged, want := range map[int64]queue.Status{queue.First: queue.Current, 5000: queue.Ahead} {
		if got := w.answer(r.poll(name, acknowledged)); got.Status != want {
			t.Errorf("after %d: %v", acknowledged, got)
		}
	}
}

// after runs a function once, right after Redis has answered a poll.
type after struct {
	done atomic.Bool
	work func()
}

func (a *after) DialHook(next redis.DialHook) redis.DialHook { return next }
func (a *after) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (a *after) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if args := cmd.Args(); len(args) > 1 && args[1] == "chatserver2_poll" && a.done.CompareAndSwap(false, true) {
			a.work()
		}
		return err
	}
}

// For an entry that is appended between the answer of Redis and its arrival, there was a wake-up, or it was lost with
// the connection. In both cases Redis is called again.
func TestAppendedWhileAsking(t *testing.T) {
	t.Parallel()
	for title, news := range map[string]func(w *world, r room, name string){
		"announced": func(w *world, r room, name string) {
			at := w.dispatch(201, name)
			r.Appended(t.Context(), number, queue.Pointer{Event: at}, []queue.Woken{{Queue: name, Number: 4}})
		},
		"connection lost": func(w *world, r room, name string) { w.dispatch(201, name); r.Reconnected([]int{number}) },
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			r, name := w.unsubscribed("one"), w.register("200:200:")
			w.dispatch(150, name) // these are dropped, so the answer under way answers nothing
			w.dispatch(150, name)
			w.client.AddHook(&after{work: func() { news(w, r, name) }})
			if got := numbers(w.answer(r.poll(name, queue.First))); !slices.Equal(got, []int64{4}) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// No entry is lost if wake-ups are lost or come in another order than the entries.
func TestWakeUpsOutOfOrder(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.unsubscribed("one"), w.register("")
	waits := r.poll(name, queue.First)
	r.parked(1)
	first := w.dispatch(farAway, name)
	second := w.dispatch(farAway, name)
	r.Appended(t.Context(), number, queue.Pointer{Event: second}, []queue.Woken{{Queue: name, Number: 3}})
	if got := numbers(w.answer(waits)); !slices.Equal(got, []int64{2, 3}) {
		t.Errorf("got %v", got)
	}
	waits = r.poll(name, 3)
	r.parked(1)
	r.Appended(t.Context(), number, queue.Pointer{Event: first}, []queue.Woken{{Queue: name, Number: 2}}) // late
	w.dispatch(farAway, name)
	r.Reconnected([]int{number})
	if got := numbers(w.answer(waits)); !slices.Equal(got, []int64{4}) {
		t.Errorf("got %v", got)
	}
}

func TestDrain(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	r := w.replica("one")
	const polls = 150 // of which some are answered together
	waits := []chan waiting.Answer{}
	for range polls {
		waits = append(waits, r.poll(w.register(""), queue.First))
	}
	r.parked(polls)
	start := time.Now()
	r.Drain(t.Context(), 200*time.Millisecond)
	if took := time.Since(start); took < 100*time.Millisecond {
		t.Errorf("all were answered within %v", took)
	}
	for _, from := range waits {
		if got := w.answer(from); !got.Heartbeat {
			t.Errorf("got %v", got)
		}
	}
	if got := r.Wait(t.Context(), r.find(w.register("")), queue.First, false); got.Err != nil || len(got.Events) != 0 {
		t.Errorf("a poll that came later got %v", got)
	}
}

// Waiting polls are also answered without Redis, so that their clients try another replica.
func TestDrainWithoutRedis(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.unsubscribed("one"), w.register("")
	waits := r.poll(name, queue.First)
	r.parked(1)
	_ = w.client.Close()
	r.Drain(t.Context(), time.Millisecond)
	if got := w.answer(waits); got.Err != nil || !got.Heartbeat {
		t.Errorf("got %v", got)
	}
	if got := r.Wait(t.Context(), r.find(name), queue.First, false); got.Err == nil {
		t.Errorf("a poll without Redis: %v", got)
	}
}
