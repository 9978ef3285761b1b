package endpoint

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/id"
)

// One account has a share, and waits only for memory that it holds itself. All accounts together have the total.
func TestMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(400)
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		one, five := &grant{user: 1}, &grant{user: 5}
		must(m.take(t.Context(), one, 100))
		if err := m.take(soon, &grant{user: 1}, 1); !errors.Is(err, errBusy) {
			t.Errorf("more than a share: %v", err)
		}
		others := []*grant{{user: 2}, {user: 3}, {user: 4}}
		for _, other := range others {
			must(m.take(t.Context(), other, 100))
		}
		if err := m.take(soon, five, 1); !errors.Is(err, errBusy) {
			t.Errorf("more than there is: %v", err)
		}
		waited := make(chan error, 1)
		go func() { waited <- m.take(t.Context(), five, 60) }()
		synctest.Wait()
		m.put(one, 50)
		synctest.Wait()
		if len(waited) > 0 {
			t.Fatal("60 bytes of 50")
		}
		m.put(others[0], 10)
		must(<-waited)
		for _, g := range append(others, one, five) {
			m.put(g, g.bytes)
		}
		if m.held != 0 || len(m.by) != 0 {
			t.Errorf("%d bytes are held, %v", m.held, m.by)
		}
	})
}

// Unauthenticated callers that exceed their share don't keep others from exceeding the total.
func TestMemoryGrowsForStrangers(t *testing.T) {
	t.Parallel()
	m := newMemory(400)
	for _, g := range []*grant{{user: 0}, {user: 1}, {user: 2}, {user: 3}} {
		if m.try(g, 90) != nil || g.user == 0 && m.try(g, 20) != nil {
			t.Fatalf("account %d gets no memory", g.user)
		}
	}
	growing := &grant{user: 4}
	if m.try(growing, 10) != nil || m.try(growing, 50) != nil {
		t.Error("an account can't exceed the total")
	}
}

// Requests that hold memory and need more don't deadlock: one at a time may exceed the account's share, and one the
// total.
func TestMemoryGrows(t *testing.T) {
	t.Parallel()
	m := newMemory(400)
	grown, together, peak := sync.WaitGroup{}, sync.WaitGroup{}, atomic.Int64{}
	together.Add(16)
	for i := range 16 {
		grown.Go(func() {
			g := &grant{user: id.User(1 + i%4)}
			if err := m.take(t.Context(), g, 25); err != nil {
				t.Error(err)
			}
			together.Done()
			together.Wait() // all of it is held now
			if err := m.take(t.Context(), g, 60); err != nil {
				t.Error(err)
			}
			m.mutex.Lock()
			peak.Store(max(peak.Load(), m.held))
			m.mutex.Unlock()
			m.put(g, g.bytes)
		})
	}
	grown.Wait()
	if m.held != 0 || len(m.by) != 0 || len(m.beyond) != 0 || peak.Load() > 400+60 {
		t.Errorf("%d bytes are held, %v, %v; at most %d were", m.held, m.by, m.beyond, peak.Load())
	}
}
