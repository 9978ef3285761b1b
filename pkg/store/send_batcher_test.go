package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/store"
)

// A panic releases its slot, and callers that wait for the result get the error that the outcome is unknown.
func TestSendBatcherPanics(t *testing.T) {
	t.Parallel()
	g := &store.SendBatcher{}
	work, inside, full := sync.WaitGroup{}, sync.WaitGroup{}, make(chan struct{})
	unsure := make(chan error, 8)
	inside.Add(2)
	for n := range 8 {
		work.Go(func() {
			defer func() { _ = recover() }()
			unsure <- g.Do(t.Context(), time.Minute, func(context.Context) {
				if n < 2 {
					inside.Done()
					<-full
				}
				panic("bad")
			})
		})
		if n == 1 {
			inside.Wait()
		}
	}
	close(full)
	work.Wait()
	close(unsure)
	for err := range unsure {
		if !errors.Is(err, store.ErrUnsure) {
			t.Errorf("%v", err)
		}
	}
	if n := g.Running(); n != 0 {
		t.Errorf("%d slots are lost", n)
	}
	if err := g.Do(t.Context(), time.Minute, func(context.Context) {}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Storing has a deadline, whatever the caller's context is, and so has the wait before it.
func TestSendBatcherDeadlines(t *testing.T) {
	t.Parallel()
	g := &store.SendBatcher{}
	ctx, cancel := context.WithCancel(t.Context())
	work, hang := sync.WaitGroup{}, make(chan struct{})
	inside := sync.WaitGroup{}
	inside.Add(2)
	for range 2 {
		work.Go(func() {
			err := g.Do(ctx, time.Hour, func(ctx context.Context) {
				if _, ok := ctx.Deadline(); !ok || ctx.Done() == nil {
					t.Error("no deadline")
				}
				inside.Done()
				<-hang
				if ctx.Err() != nil {
					t.Error("it ended with its caller")
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	inside.Wait()
	cancel()
	if err := g.Do(t.Context(), time.Millisecond, func(context.Context) { t.Error("stored") }); !errors.Is(err, store.ErrSlow) {
		t.Errorf("a line that doesn't move: %v", err)
	}
	close(hang)
	work.Wait()
}

// A few messages wait for the end of an open transaction, but not for long, and then share the next one.
func TestSendBatcherWaits(t *testing.T) {
	t.Parallel()
	g := &store.SendBatcher{}
	work, release := sync.WaitGroup{}, make(chan struct{})
	hang := func(start chan<- time.Time) func(context.Context) {
		return func(context.Context) {
			start <- time.Now()
			<-release
		}
	}
	do := func(store func(context.Context)) {
		work.Go(func() {
			if err := g.Do(t.Context(), time.Minute, store); err != nil {
				t.Error(err)
			}
		})
	}
	first, second := make(chan time.Time, 1), make(chan time.Time, 1)
	do(hang(first))
	<-first
	before := time.Now()
	do(hang(second))
	if waited := (<-second).Sub(before); waited < store.Patience {
		t.Errorf("a transaction for one message began beside another one after %v", waited)
	}
	const rest = 3
	calls := atomic.Int32{}
	for range rest {
		do(func(context.Context) { calls.Add(1) })
	}
	for g.Waiting() != rest {
		runtime.Gosched()
	}
	close(release)
	work.Wait()
	if n := calls.Load(); n != 1 || g.Running() != 0 {
		t.Errorf("%d transactions for %d messages that waited, and %d run", n, rest, g.Running())
	}
}
