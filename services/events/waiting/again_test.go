package waiting_test

import (
	"slices"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events/waiting"
)

// A poll that waits again gets the events since its last answer, and later ones, each once. This acknowledges no
// events.
func TestAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("200:200:")
	p := r.Join(r.find(name), queue.First, true)
	if got := p.Answer(t.Context()); got.Err != nil || got.Status != queue.Current || len(got.Events) > 0 {
		t.Fatalf("at first: %v", got)
	}
	w.dispatch(201, name)
	p.Again()
	if got := numbers(p.Answer(t.Context())); !slices.Equal(got, []int64{2}) {
		t.Errorf("what came meanwhile: %v", got)
	}
	w.dispatch(150, name) // is part of the initial state
	w.dispatch(202, name)
	w.dispatch(203, name)
	got := []int64(nil)
	for len(got) < 2 { // the announcement of one may come before that of the other
		p.Again()
		answer := p.Answer(t.Context())
		if answer.Err != nil {
			t.Fatal(answer.Err)
		}
		got = append(got, numbers(answer)...)
	}
	if !slices.Equal(got, []int64{4, 5}) {
		t.Errorf("what came meanwhile: %v", got)
	}
	// A late wake-up for an earlier event wakes the poll, which then waits again.
	again := func() chan waiting.Answer {
		p.Again()
		answers := make(chan waiting.Answer, 1)
		go func() { answers <- p.Answer(t.Context()) }()
		r.parked(1)
		return answers
	}
	answers := again()
	w.dispatch(204, name)
	if got := numbers(w.answer(answers)); !slices.Equal(got, []int64{6}) {
		t.Errorf("events during the wait: %v", got)
	}
	answers = again()
	r.Beat(t.Context(), 0)
	if got := w.answer(answers); !got.Heartbeat {
		t.Errorf("the heartbeat: %v", got)
	}
	if got := numbers(w.answer(r.poll(name, queue.First))); !slices.Equal(got, []int64{2, 4, 5, 6}) {
		t.Errorf("unacknowledged: %v", got)
	}
}

// A poll can't wait again after an event that ends waiting polls: a newer poll, at this or another replica, the end of
// its queue, a change of its account, or a shutdown. Its next answer is empty, at once, and the newer poll still waits.
func TestNotAgain(t *testing.T) {
	t.Parallel()
	for title, ends := range map[string]func(w *world, r room, name string) (newer room){
		"another poll": func(_ *world, r room, name string) room { r.poll(name, queue.First); return r },
		"another replica": func(w *world, r room, name string) room {
			other, waits := w.replica("two"), r.poll(name, queue.First)
			r.parked(1)
			other.poll(name, queue.First)
			w.answer(waits) // the news has arrived
			return other
		},
		"the end":          func(_ *world, r room, name string) room { r.Removed(name); return room{} },
		"the account":      func(_ *world, r room, _ string) room { r.Recheck(map[id.User]bool{2: true}, nil); return room{} },
		"the organization": func(_ *world, r room, _ string) room { r.Recheck(nil, map[id.Org]bool{1: true}); return room{} },
		"a shutdown":       func(w *world, r room, _ string) room { r.Drain(w.t.Context(), 0); return room{} },
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			r, name := w.replica("one"), w.register("")
			p := r.Join(r.find(name), queue.First, true)
			p.Answer(t.Context())
			newer := ends(w, r, name)
			if newer.Room != nil {
				newer.parked(1)
			}
			p.Again()
			got := make(chan waiting.Answer, 1)
			go func() { got <- p.Answer(t.Context()) }()
			if a := w.answer(got); len(a.Events) > 0 || a.Heartbeat {
				t.Errorf("got %v", a)
			}
			if newer.Room != nil && newer.Waiting() != 1 {
				t.Error("the newer poll has ended")
			}
		})
	}
}

// A queue whose poll waits again and again doesn't expire.
func TestAgainForLong(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("")
	p := r.Join(r.find(name), queue.First, true)
	p.Answer(t.Context())
	for range 10 {
		w.passed.Add(int64(50 * time.Second))
		p.Again()
		r.parked(1)
		r.Sweep()
		r.Beat(t.Context(), 0)
		if got := p.Answer(t.Context()); !got.Heartbeat {
			t.Fatalf("got %v", got)
		}
	}
	p.Again()
	r.parked(1)
	w.dispatch(farAway, name)
	if got := numbers(p.Answer(t.Context())); !slices.Equal(got, []int64{2}) {
		t.Errorf("got %v", got)
	}
}

// While a poll waits, its queue expires later than its lifetime from now, although the poll before it was an immediate one.
func TestWaitAfterImmediatePoll(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("")
	waits := func(after string) {
		t.Helper()
		r.parked(1)
		if left := w.client.TTL(t.Context(), "{s3}:queue:"+name).Val(); left < 2*time.Minute {
			t.Errorf("%s: the queue expires after %v", after, left)
		}
	}
	p := r.Join(r.find(name), queue.First, true)
	p.Answer(t.Context())
	p.Again()
	waits("the beginning of a stream")
	r.Wait(t.Context(), r.find(name), queue.First, true)
	r.poll(name, queue.First)
	waits("a poll that doesn't wait")
}
