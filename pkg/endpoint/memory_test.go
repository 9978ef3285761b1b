package endpoint_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// An account at its limit must return memory before it gets more. Others don't wait for it, and all memory is
// returned.
func TestReservations(t *testing.T) {
	t.Parallel()
	started, end := make(chan struct{}, 10), make(chan struct{})
	about := endpoint.About{Route: "POST /hold", Who: permit.Anyone, Memory: 1 << 20, MaxBody: endpoint.LargeBody}
	hold := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) {
		started <- struct{}{}
		<-end
		return endpoint.Nothing{}, nil
	})
	about.Route, about.Memory = "POST /now", 0
	now := endpoint.New(about, func(ctx context.Context, _ actor.Actor, _ none) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, endpoint.ReserveNow(ctx, 1<<20)
	})
	about.Route = "POST /large"
	large := endpoint.New(about, func(context.Context, actor.Actor, none) (map[string]string, error) {
		return map[string]string{"text": strings.Repeat("x", 300<<10)}, nil
	})
	s := serveWith(t, endpoint.Config{Memory: 4 << 20, Now: time.Now}, hold, now, large)
	call := func(path, who, body string) int {
		r := request(t, http.MethodPost, "/api/v1"+path, body)
		r.Header.Set("Authorization", basic(key(who)))
		return s.do(r).Code
	}
	const busy = http.StatusServiceUnavailable
	calls := sync.WaitGroup{}
	for range 2 {
		calls.Go(func() {
			if got := call("/hold", "m", ""); got != http.StatusOK {
				t.Errorf("it waited, and got %d", got)
			}
		})
	}
	<-started
	if got := call("/now", "m", ""); got != busy {
		t.Errorf("a second one of the account: %d", got)
	}
	if got := call("/now", "a", ""); got != http.StatusOK {
		t.Errorf("another account: %d", got)
	}
	select {
	case <-started:
		t.Error("both are under way")
	case <-time.After(50 * time.Millisecond):
	}
	end <- struct{}{}
	<-started
	end <- struct{}{}
	calls.Wait()
	for _, path := range []string{"/now", "/large", "/now"} { // responses and bodies are counted, and returned
		if got := call(path, "m", "x="+strings.Repeat("x", 200<<10)); got != http.StatusOK {
			t.Errorf("%s: %d", path, got)
		}
	}
}

// A body of unknown size counts as the largest that is accepted, until it has been read.
func TestReservationOfChunkedBody(t *testing.T) {
	t.Parallel()
	started, end := make(chan struct{}, 2), make(chan struct{})
	about := endpoint.About{Route: "POST /hold", Who: permit.Anyone, Memory: 1 << 20, MaxBody: endpoint.LargeBody}
	hold := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) {
		started <- struct{}{}
		<-end
		return endpoint.Nothing{}, nil
	})
	about.Route, about.Memory = "POST /read", 0
	read := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) {
		started <- struct{}{}
		return endpoint.Nothing{}, nil
	})
	s := serveWith(t, endpoint.Config{Memory: 4 << 20, Now: time.Now}, hold, read)
	calls := sync.WaitGroup{}
	call := func(path string, length int64) {
		r := request(t, http.MethodPost, "/api/v1"+path, "x=y")
		r.ContentLength = length
		calls.Go(func() {
			if w := s.do(r); w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		})
	}
	call("/hold", 3)
	<-started
	call("/read", 3)
	<-started
	call("/read", -1)
	select {
	case <-started:
		t.Error("a body of unknown size is read although there is no memory for the largest")
	case <-time.After(50 * time.Millisecond):
	}
	close(end)
	calls.Wait()
}

// A handler that aborts the connection returns its turn and its memory.
func TestAbortedCallsHoldNothing(t *testing.T) {
	t.Parallel()
	about := endpoint.About{Route: "POST /abort", Who: permit.Anyone, Memory: 1 << 20}
	abort := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { panic(http.ErrAbortHandler) })
	about.Route = "POST /list"
	list := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	s := serveWith(t, endpoint.Config{Turns: 1, Memory: 4 << 20, Now: time.Now}, abort, list)
	call := func(path string) int {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		r := request(t, http.MethodPost, "/api/v1"+path, "").WithContext(ctx)
		r.Header.Set("Authorization", basic(key("m")))
		return s.do(r).Code
	}
	func() {
		defer func() {
			if cause := recover(); cause != http.ErrAbortHandler { //nolint:errorlint // the sentinel, as package http compares it
				t.Errorf("the panic became %v", cause)
			}
		}()
		call("/abort")
	}()
	if got := call("/list"); got != http.StatusOK {
		t.Errorf("the next call: %d", got)
	}
}

// A call that waits for more memory than it has reserved passes its turn: the memory may be that of clients that read slowly.
func TestTurnIsPassedForMemory(t *testing.T) {
	t.Parallel()
	began, grow, grown, end := make(chan struct{}), make(chan struct{}), make(chan struct{}, 2), make(chan struct{})
	about := endpoint.About{Route: "POST /grow", Who: permit.Anyone}
	growing := endpoint.New(about, func(ctx context.Context, _ actor.Actor, _ none) (endpoint.Nothing, error) {
		if err := endpoint.Reserve(ctx, 512<<10); err != nil {
			return endpoint.Nothing{}, err
		}
		began <- struct{}{}
		<-grow
		err := endpoint.Reserve(ctx, 1<<20)
		grown <- struct{}{}
		<-end
		return endpoint.Nothing{}, err
	})
	about.Route, about.Memory = "POST /list", 1
	list := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	s := serveWith(t, endpoint.Config{Turns: 2, Memory: 4 << 20, Now: time.Now}, growing, list)
	call := func(path, who string) {
		r := request(t, http.MethodPost, "/api/v1"+path, "")
		r.Header.Set("Authorization", basic(key(who)))
		if got := s.do(r).Code; got != http.StatusOK {
			t.Errorf("%s of %s: %d", path, who, got)
		}
	}
	calls := sync.WaitGroup{}
	for range 2 {
		calls.Go(func() { call("/grow", "m") })
		<-began
	}
	close(grow)
	<-grown // and keeps its turn, while the other waits for the account's memory
	call("/list", "a")
	close(end)
	calls.Wait()
}
