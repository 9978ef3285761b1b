package user

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// The account of a replaced key is reported once, when the key has ended: not before, and not again with each later look.
func TestReportOfEndedKey(t *testing.T) {
	t.Parallel()
	since := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	a := NewAuthenticator(nil, org.Config{}, time.Now, slog.New(slog.DiscardHandler))
	known := func(user id.User, ends time.Time) *cacheEntry {
		k := &cacheEntry{caller: actor.Actor{User: user}, ends: ends, done: make(chan struct{})}
		a.accepted[sha256.Sum256([]byte{byte(user)})] = k
		return k
	}
	for user, ends := range map[id.User]time.Time{
		1: {}, 2: since, 3: since.Add(1), 4: since.Add(time.Second), 5: since.Add(time.Second + 1),
	} {
		close(known(user, ends).done)
	}
	known(6, since.Add(1)) // still being looked up
	calls, users := 0, map[id.User]bool{}
	a.OnChange(func(changed map[id.User]bool, _ map[id.Org]bool) {
		calls++
		users = changed
	})
	a.report(store.Changed{}, store.Changed{}, since, since.Add(time.Second))
	if want := map[id.User]bool{3: true, 4: true}; !maps.Equal(users, want) {
		t.Errorf("reported: %v, want %v", users, want)
	}
	a.report(store.Changed{}, store.Changed{}, since.Add(time.Minute), since.Add(time.Hour))
	if calls != 1 {
		t.Errorf("%d reports, although nothing has ended since the first", calls)
	}
}

// The queue of keys to look up is limited. What is pending or cached needs no place in it.
func TestQueueOfLookupsIsLimited(t *testing.T) {
	t.Parallel()
	a := NewAuthenticator(nil, org.Config{}, time.Now, slog.New(slog.DiscardHandler))
	a.asking = maxLookups // so that nobody takes keys off the queue
	a.queue = make([]lookup, maxQueued-1)
	claim := func(key string) error {
		_, err := a.claim(t.Context(), HashKey(key), a.now())
		return err
	}
	for _, c := range []struct {
		key  string
		want error
	}{{"last", nil}, {"late", errQueueFull}, {"last", nil}, {"late", errQueueFull}} {
		if err := claim(c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.key, err, c.want)
		}
	}
	if len(a.queue) != maxQueued || len(a.pending) != 1 {
		t.Errorf("%d keys are queued, %d pending", len(a.queue), len(a.pending))
	}
}
