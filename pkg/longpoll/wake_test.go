package longpoll_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/longpoll"
	"chatserver.dev/pkg/testbed"
)

// waker is a server whose answers wait without goroutines, on sockets.
type waker struct {
	t     testing.TB
	addr  string
	polls *longpoll.Server

	mutex   sync.Mutex
	waiting []*waitingAnswer
}

// waitingAnswer is an answer that waits for bring.
type waitingAnswer struct {
	to    http.ResponseWriter
	wake  func()
	text  string
	there bool
}

func startWaker(t testing.TB, idle time.Duration) *waker {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &waker{t: t, addr: listener.Addr().String()}
	returned := longpoll.NewReturnListener(listener.Addr())
	w.polls = longpoll.New(context.WithoutCancel(t.Context()), longpoll.Config{
		Path: "/poll", Idle: idle, Now: time.Now, Logger: slog.New(slog.DiscardHandler), HandBack: returned.HandBack,
	})
	w.polls.Handle(http.HandlerFunc(w.poll))
	mux := http.NewServeMux()
	mux.HandleFunc("/poll", w.poll)
	mux.HandleFunc("/other", func(to http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(to, "other %s", r.URL.RawQuery) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	running := sync.WaitGroup{}
	for _, l := range []net.Listener{listener, returned} {
		running.Go(func() { _ = server.Serve(l) })
	}
	t.Cleanup(func() {
		_ = server.Close()
		running.Wait()
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		w.polls.Shutdown(ctx)
	})
	return w
}

// poll responds when there is news.
func (w *waker) poll(to http.ResponseWriter, r *http.Request) {
	query := r.URL.RawQuery
	a := &waitingAnswer{}
	answer := func(ctx context.Context, to http.ResponseWriter, wake func()) bool {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		if !a.there && ctx.Err() == nil {
			a.to, a.wake = to, wake
			w.waiting = append(w.waiting, a)
			return false
		}
		_, _ = fmt.Fprintf(to, "%s %s", query, a.text)
		return true
	}
	if !w.polls.Take(to, r, answer) {
		w.t.Error("the poll can't leave")
	}
}

// next returns the next waiting answer, or nil if none arrives.
func (w *waker) next() *waitingAnswer {
	for by := time.Now().Add(time.Minute); time.Now().Before(by); {
		w.mutex.Lock()
		if len(w.waiting) > 0 {
			a := w.waiting[0]
			w.waiting = w.waiting[1:]
			w.mutex.Unlock()
			return a
		}
		w.mutex.Unlock()
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

// bring completes a waiting answer, at once or by waking it.
func (w *waker) bring(text string, now bool) {
	a := w.next()
	if a == nil {
		w.t.Error("no poll arrived")
		return
	}
	if now && longpoll.TryAnswer(a.to, func(to *bytes.Buffer) { to.WriteString("X-Now: yes\r\n") }, []byte("now "+text)) {
		return
	}
	w.mutex.Lock()
	a.text, a.there = text, true
	w.mutex.Unlock()
	a.wake()
}

func (w *waker) dial() *client {
	w.t.Helper()
	t, ok := w.t.(*testing.T)
	if !ok {
		w.t.Fatal("it needs a test")
	}
	return (&world{t: t, addr: w.addr}).dial()
}

// A connection whose polls wait without a goroutine gets each response once and in order, whether it is written at
// once or after waking. Pipelined requests and requests in pieces wait, and package http responds to all other
// requests.
func TestWaking(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := startWaker(t, time.Minute)
		c, sent, want := w.dial(), strings.Builder{}, []string(nil)
		defer c.Close()
		polls := []bool(nil)
		for i := range rapid.IntRange(1, 6).Draw(r, "requests") {
			if rapid.IntRange(0, 3).Draw(r, "kind") == 0 {
				sent.WriteString(get(fmt.Sprintf("/other?%d", i)))
				want = append(want, fmt.Sprintf("other %d", i))
				continue
			}
			sent.WriteString(get(fmt.Sprintf("/poll?%d", i), rapid.SampledFrom([]string{"X-Test: a", "X-Test: b"}).Draw(r, "field")))
			now := rapid.Bool().Draw(r, "now")
			polls, want = append(polls, now), append(want, fmt.Sprintf("%d text", i))
		}
		cut := rapid.IntRange(0, sent.Len()).Draw(r, "cut")
		brought := make(chan struct{})
		go func() {
			defer close(brought)
			for _, now := range polls {
				w.bring("text", now)
			}
		}()
		c.write(sent.String()[:cut])
		time.Sleep(time.Duration(rapid.IntRange(0, 2).Draw(r, "pause")) * time.Millisecond)
		c.write(sent.String()[cut:])
		for _, text := range want {
			response, err := http.ReadResponse(c.reader, nil)
			if err != nil {
				r.Fatalf("%v, want %s", err, text)
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if got := string(body); err != nil || got != text && got != "now text" {
				r.Fatalf("%s, %v; want %s", got, err, text)
			}
		}
		<-brought
	})
}

// Waiting polls and idle connections use no goroutines.
func TestNoGoroutines(t *testing.T) { //nolint:paralleltest // others have goroutines, too
	testbed.Slow(t)
	const many = 300
	w := startWaker(t, time.Minute)
	before, clients := runtime.NumGoroutine(), make([]*client, many)
	settled := func(what string) {
		for by := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+many/10; time.Sleep(time.Millisecond) {
			if time.Now().After(by) {
				t.Fatalf("%d goroutines while %d %s, and %d before", runtime.NumGoroutine(), many, what, before)
			}
		}
	}
	for i := range clients {
		clients[i] = w.dial()
		clients[i].write(get("/poll?0"))
	}
	settled("polls wait")
	for i := range clients {
		w.bring("text", i%2 == 0)
	}
	for _, c := range clients {
		response, err := http.ReadResponse(c.reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	settled("connections wait")
}

// The part of a response that the client doesn't accept at once is sent when it reads, and doesn't block others.
func TestTryAnswerLarge(t *testing.T) {
	t.Parallel()
	w := startWaker(t, time.Minute)
	large := strings.Repeat("x", 16<<20) // more than the kernel's buffers
	slow, c := w.dial(), w.dial()
	slow.write(get("/poll?1"))
	w.bring(large, true)
	c.write(get("/poll?2"))
	w.bring("small", true)
	c.read(200, "now small")
	slow.read(200, "now "+large)
	slow.write(get("/poll?3"))
	w.bring("next", true)
	slow.read(200, "now next")
}

// An idle connection is closed after its time limit. A waiting poll isn't.
func TestIdle(t *testing.T) {
	t.Parallel()
	w := startWaker(t, 100*time.Millisecond)
	idle, waits := w.dial(), w.dial()
	idle.write(get("/poll?1"))
	w.bring("text", true)
	idle.read(200, "now text")
	waits.write(get("/poll?2"))
	start := time.Now()
	idle.ended()
	if took := time.Since(start); took < 90*time.Millisecond {
		t.Errorf("it ended after %v", took)
	}
	w.bring("late", true)
	waits.read(200, "now late")
}

// Shutdown closes connections without goroutines: idle ones at once, and others after their response, or when its
// context ends.
func TestShutdownWaking(t *testing.T) {
	t.Parallel()
	w := startWaker(t, time.Minute)
	idle, now, woken, left := w.dial(), w.dial(), w.dial(), w.dial()
	idle.write(get("/poll?1"))
	w.bring("text", false)
	idle.read(200, "1 text")
	for i, c := range []*client{now, woken, left} {
		c.write(get(fmt.Sprintf("/poll?%d", i)))
		for waits := false; !waits; time.Sleep(time.Millisecond) {
			w.mutex.Lock()
			waits = len(w.waiting) == i+1
			w.mutex.Unlock()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.polls.Shutdown(ctx) }()
	idle.ended()
	for i, c := range []*client{now, woken} {
		w.bring("last", i == 0)
		if header := c.read(200, map[int]string{0: "now last", 1: "1 last"}[i]); header.Get("Connection") != "close" {
			t.Errorf("header %v", header)
		}
		c.ended()
	}
	cancel()
	left.ended()
	<-done
}
