package images_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/services/api/images"
)

func TestTurnsAreBounded(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		limit      int
		host, peer func(n int) string
	}{
		"of a host":   {images.MaxPerHost, func(int) string { return "a" }, strconv.Itoa},
		"of a client": {images.MaxPerPeer, strconv.Itoa, func(int) string { return "a" }},
		"in all":      {images.MaxFetches, strconv.Itoa, strconv.Itoa},
	} {
		turns := images.NewTurns()
		ends := []func(){}
		for n := range c.limit {
			end, err := turns.Take(over, c.host(n), c.peer(n))
			if err != nil {
				t.Fatalf("%s: turn %d: %v", name, n, err)
			}
			ends = append(ends, end)
		}
		if _, err := turns.Take(over, c.host(c.limit), c.peer(c.limit)); !errors.Is(err, images.ErrBusy) {
			t.Errorf("%s: turn %d: %v", name, c.limit, err)
		}
		for _, end := range ends {
			end()
		}
		if turns.Known() != 0 || turns.Waiting() != 0 {
			t.Errorf("%s: %d are remembered, %d wait", name, turns.Known(), turns.Waiting())
		}
		if end, err := turns.Take(over, c.host(0), c.peer(0)); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		} else {
			end()
		}
	}
}

// Two clients that take and wait for all that they may leave turns, and places to wait, to others.
func TestTurnsAreLeftToOthers(t *testing.T) {
	t.Parallel()
	turns := images.NewTurns()
	over, cancel := context.WithCancel(t.Context())
	waiting := sync.WaitGroup{}
	waiting.Go(func() {
		for n := range 4 * images.MaxFetches {
			for _, peer := range []string{"one", "another"} {
				waiting.Go(func() { _, _ = turns.Take(over, peer+strconv.Itoa(n), peer) })
			}
		}
	})
	for turns.Waiting() < 2*images.MaxWaitingOfPeer {
		time.Sleep(time.Millisecond)
	}
	if _, err := turns.Take(t.Context(), "a", "one"); !errors.Is(err, images.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	if turns.Waiting() > images.MaxWaiting/2 {
		t.Errorf("%d wait", turns.Waiting())
	}
	if _, err := turns.Take(over, "a", "a third"); err != nil {
		t.Errorf("a third client: %v", err)
	}
	cancel()
	waiting.Wait()
}

// All waiting calls eventually get a turn, and their number is limited.
func TestWaitingForTurns(t *testing.T) {
	t.Parallel()
	turns := images.NewTurns()
	ends := []func(){}
	for range images.MaxPerHost {
		end, err := turns.Take(t.Context(), "a", "reader")
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	waiting, served := sync.WaitGroup{}, make(chan error, images.MaxWaiting)
	for n := range images.MaxWaiting {
		waiting.Go(func() {
			end, err := turns.Take(t.Context(), "a", "reader "+strconv.Itoa(n))
			if err == nil {
				end()
			}
			served <- err
		})
	}
	for turns.Waiting() < images.MaxWaiting {
		time.Sleep(time.Millisecond)
	}
	if _, err := turns.Take(t.Context(), "a", "reader"); !errors.Is(err, images.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	for _, end := range ends {
		end()
	}
	waiting.Wait()
	close(served)
	for err := range served {
		if err != nil {
			t.Error(err)
		}
	}
}

// However many addresses take and wait for all that they may, another one waits for no longer than one of their fetches.
func TestTurnsOfManyAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const addresses = 10
		turns, slow := images.NewTurns(), make(chan struct{})
		busy, served := atomic.Int64{}, []string{}
		for n := range images.MaxWaiting {
			for peer := range addresses {
				go func() {
					end, err := turns.Take(t.Context(), strconv.Itoa(peer)+"."+strconv.Itoa(n), strconv.Itoa(peer))
					if err != nil {
						return
					}
					busy.Add(1)
					<-slow
					end()
				}()
			}
			synctest.Wait()
		}
		if busy.Load() != images.MaxFetches || turns.Waiting() != images.MaxWaiting {
			t.Fatalf("%d fetch, %d wait", busy.Load(), turns.Waiting())
		}
		for range 3 {
			go func() {
				end, err := turns.Take(t.Context(), "a", "reader")
				if err != nil {
					t.Error(err)
					return
				}
				served = append(served, "reader")
				end()
			}()
			synctest.Wait()
		}
		slow <- struct{}{} // one fetch ends
		synctest.Wait()
		if len(served) != 3 || turns.Waiting() > images.MaxWaiting-3 {
			t.Errorf("%d of 3 have had a turn, %d wait", len(served), turns.Waiting())
		}
		close(slow)
	})
}
