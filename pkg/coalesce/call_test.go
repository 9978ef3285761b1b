package coalesce_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/coalesce"
)

// Callers share a result, but never that of a run that started before their call.
func TestResultIsOfAfterTheCall(t *testing.T) {
	t.Parallel()
	var value, runs atomic.Int64
	c := coalesce.Call[int64]{Timeout: time.Minute, Pause: time.Millisecond, Func: func(context.Context) (int64, error) {
		runs.Add(1)
		return value.Load(), nil
	}}
	const callers = 200
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			want := value.Add(1)
			if got, err := c.Do(t.Context()); err != nil || got < want {
				t.Errorf("%d, %v, want %d at least", got, err, want)
			}
		})
	}
	group.Wait()
	if runs.Load() > callers/4 {
		t.Errorf("%d runs for %d callers", runs.Load(), callers)
	}
}

// Callers that wait for a run that fails all get its error, at once. The next caller starts another run.
func TestFailureIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("away")
		var runs atomic.Int64
		c := coalesce.Call[int]{Timeout: time.Second, Func: func(ctx context.Context) (int, error) {
			if runs.Add(1) > 2 {
				return 7, nil
			}
			<-ctx.Done()
			return 0, away
		}}
		start := time.Now()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if _, err := c.Do(t.Context()); !errors.Is(err, away) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("after %v", took)
		}
		runs.Store(2)
		if got, err := c.Do(t.Context()); got != 7 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	})
}

// A run continues for the other callers when one leaves. The first run starts at once, and each further one after the
// pause.
func TestPauseAndEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c := coalesce.Call[string]{Timeout: time.Hour, Pause: time.Minute, Func: func(context.Context) (string, error) {
			<-release
			return "yes", nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := c.Do(ctx)
			gone <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(release)
		start := time.Now()
		for range 3 {
			if got, err := c.Do(t.Context()); got != "yes" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		if took := time.Since(start); took != 3*time.Minute { // the first is that of the caller that left
			t.Errorf("after %v", took)
		}
		time.Sleep(2 * c.Pause) // until the pause has ended
	})
}
