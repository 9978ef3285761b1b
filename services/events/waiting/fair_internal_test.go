package waiting

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/activity"
)

// small is an event that is written immediately.
var small = event.Decode([]byte(`{"type":"test"}`))

// pollsOf returns polls of an organization whose answers aren't taken.
func pollsOf(org id.Org, count int) []*Poll {
	polls := make([]*Poll, count)
	for i := range polls {
		polls[i] = &Poll{queue: &Queue{Descriptor: queue.Descriptor{Org: org}}, answer: make(chan Answer, 1)}
	}
	return polls
}

func answered(polls []*Poll) (count int) {
	for _, p := range polls {
		count += len(p.answer)
	}
	return count
}

// start runs the answering of waves until the test ends or stop is called.
func start(t *testing.T) (f *fair, stop func()) {
	t.Helper()
	f = newFair(time.Now, func(context.Context, *event.Recorded) {})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.run(ctx) }()
	var once atomic.Bool
	stop = func() {
		if once.Swap(true) {
			return
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return f, stop
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// However many polls of one organization a wake-up answers, those of another are answered before most of them.
func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	f, _ := start(t)
	large, other, few := pollsOf(1, 10_000), pollsOf(2, 5*chunkPolls), pollsOf(3, chunkPolls)
	for i := 0; i < len(large); i += 250 {
		f.answer(t.Context(), queue.Pointer{}, small, large[i:i+250])
	}
	f.answer(t.Context(), queue.Pointer{}, small, few)
	if got := answered(few); got != len(few) {
		t.Errorf("%d of %d polls are answered, which wait for nobody", got, len(few))
	}
	f.answer(t.Context(), queue.Pointer{}, small, other)
	eventually(t, "the polls of the other organization aren't answered", func() bool { return answered(other) == len(other) })
	if got := answered(large); got > len(large)/2 {
		t.Errorf("%d of %d polls were answered before", got, len(large))
	}
	for _, polls := range [][]*Poll{large, other} {
		for _, p := range polls {
			select {
			case answer := <-p.answer:
				answer.taken.one()
			case <-time.After(20 * time.Second):
				t.Fatal("a poll isn't answered")
			}
		}
	}
}

// Each processor answers a chunk of a wave, but only half of them do so while another organization is active.
func TestChunksAtATime(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := newFair(func() time.Time { return now }, nil)
	f.answer(t.Context(), queue.Pointer{}, small, pollsOf(1, 9*chunkPolls+1))
	for i, step := range []struct {
		processors int
		other      bool // another organization has an event before
		chunks     []int
		last       bool
	}{
		{3, false, []int{chunkPolls, chunkPolls, chunkPolls}, false},
		{1, true, []int{chunkPolls}, false},
		{3, true, []int{chunkPolls}, false},
		{4, true, []int{chunkPolls, chunkPolls}, false},
		{3, false, []int{chunkPolls, chunkPolls, 1}, true},
		{3, false, nil, false},
	} {
		f.processors = step.processors
		if now = now.Add(activity.Lately); step.other {
			f.recent.Note(2, now)
		}
		_, chunks, last := f.next()
		sizes := []int(nil)
		for _, polls := range chunks {
			sizes = append(sizes, len(polls))
		}
		if !slices.Equal(sizes, step.chunks) || last != step.last {
			t.Errorf("step %d: %v polls, the last: %t", i, sizes, last)
		}
	}
}

// A chunk ends when its answers are taken, not after the estimated time.
func TestTakenAnswersEndChunks(t *testing.T) {
	t.Parallel()
	signal, err := newSignal()
	if err != nil {
		t.Fatal(err)
	}
	defer signal.close()
	signal.send() // of a chunk that took too long
	count := &taken{ended: signal}
	count.left.Store(2)
	go func() { count.one(); count.one() }()
	count.wait(time.Now().Add(time.Minute))
	if got := count.left.Load(); got != 0 {
		t.Errorf("%d answers aren't taken", got)
	}
	count.left.Store(1)
	count.wait(time.Now().Add(50 * time.Millisecond)) // or this test never ends
	(*taken)(nil).one()
}

// Chunks that are sent at once leave no signals behind, however many there are, because a full pipe would end all
// waves.
func TestSignalsDontAddUp(t *testing.T) {
	t.Parallel()
	const more = 70_000 // than a pipe holds
	f, _ := start(t)
	sent := atomic.Int64{}
	p := &Poll{queue: &Queue{}, client: Client{Direct: func(Delivery, time.Time, []byte) (Sent, []byte) {
		sent.Add(1)
		return SentLast, nil
	}}}
	one := event.Decode(make([]byte, chunkBytes)) // a chunk
	f.answer(t.Context(), queue.Pointer{}, one, slices.Repeat([]*Poll{p}, more))
	eventually(t, "the wave doesn't end", func() bool { return sent.Load() == more })
}

// Polls that wait when the room closes, and later ones, get an answer.
func TestClosingAnswersAll(t *testing.T) {
	t.Parallel()
	f, stop := start(t)
	before, after := pollsOf(1, 5_000), pollsOf(1, 5_000)
	f.answer(t.Context(), queue.Pointer{}, small, before)
	stop()
	f.answer(t.Context(), queue.Pointer{}, small, after)
	if a, b := answered(before), answered(after); a != len(before) || b != len(after) {
		t.Errorf("%d and %d of %d polls are answered", a, b, len(before))
	}
}

// Large events are written a few at a time.
func TestChunksAreBytes(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{10: chunkPolls, 100_000: 5, 2 * chunkBytes: 1} {
		w := wave{recorded: event.Decode([]byte(`{"type":"` + string(make([]byte, size)) + `"}`))}
		if got := w.chunk(); got != want {
			t.Errorf("of %d bytes: %d", size, got)
		}
	}
}

// Answers pause if other organizations have polls to answer.
func TestRecent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFair(time.Now, nil)
		check := func(what string, org id.Org, want bool) {
			t.Helper()
			if got := f.recent.Besides(org, time.Now()); got != want {
				t.Errorf("%s: %v", what, got)
			}
		}
		note := func(org id.Org) { f.enqueue(&wave{org: org, recorded: small}) }
		check("nobody", 1, false)
		note(1)
		note(1)
		check("itself alone", 1, false)
		check("another", 2, true)
		time.Sleep(activity.Lately / 2)
		note(2)
		note(1)
		check("in turns", 1, true)
		time.Sleep(activity.Lately)
		note(1)
		check("long ago", 1, false)
		check("itself now", 2, true)
	})
}
