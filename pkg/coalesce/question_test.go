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

// Callers share an answer, but never one to a question that was asked before their call.
func TestAnswerIsOfAfterTheCall(t *testing.T) {
	t.Parallel()
	var value, asked atomic.Int64
	q := coalesce.Question[int64]{Limit: time.Minute, Pause: time.Millisecond, Ask: func(context.Context) (int64, error) {
		asked.Add(1)
		return value.Load(), nil
	}}
	const callers = 200
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			want := value.Add(1)
			if got, err := q.Answer(t.Context()); err != nil || got < want {
				t.Errorf("%d, %v, want %d at least", got, err, want)
			}
		})
	}
	group.Wait()
	if asked.Load() > callers/4 {
		t.Errorf("%d questions of %d callers", asked.Load(), callers)
	}
}

// Callers that wait for a question that fails all get its error, at once. The next caller asks again.
func TestFailureIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("away")
		var asked atomic.Int64
		q := coalesce.Question[int]{Limit: time.Second, Ask: func(ctx context.Context) (int, error) {
			if asked.Add(1) > 2 {
				return 7, nil
			}
			<-ctx.Done()
			return 0, away
		}}
		start := time.Now()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if _, err := q.Answer(t.Context()); !errors.Is(err, away) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("after %v", took)
		}
		asked.Store(2)
		if got, err := q.Answer(t.Context()); got != 7 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	})
}

// A question continues for the other callers when one leaves. A fast question is asked again after the pause, and the
// first one at once.
func TestPauseAndEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		q := coalesce.Question[string]{Limit: time.Hour, Pause: time.Minute, Ask: func(context.Context) (string, error) {
			<-release
			return "yes", nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := q.Answer(ctx)
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
			if got, err := q.Answer(t.Context()); got != "yes" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		if took := time.Since(start); took != 3*time.Minute { // the first is that of the caller that left
			t.Errorf("after %v", took)
		}
		time.Sleep(2 * q.Pause) // until the pause has ended
	})
}
