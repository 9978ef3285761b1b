package user

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"slices"
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

// What a call has changed is invalid at once, and removed with what changes by other processes: so that calls, however many, don't look
// through the cache, in which others would wait.
func TestChangesOfCalls(t *testing.T) {
	t.Parallel()
	const accounts = 5
	old, changed := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2030, 1, 1, 0, 0, 9, 0, time.UTC)
	now := changed.Add(time.Second)
	a := NewAuthenticator(nil, org.Config{}, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	a.watched.Store(now.UnixNano())
	key := func(user id.User) [sha256.Size]byte { return sha256.Sum256([]byte{byte(user)}) }
	for user := id.User(1); user <= accounts; user++ {
		a.accepted[key(user)] = &cacheEntry{caller: actor.New(id.Org(10+user), actor.Actor{User: user}), owner: 100 + user, userChanged: old, orgChanged: old, ownerChanged: old, asked: now}
	}
	known := func() (users []id.User) {
		for user := id.User(1); user <= accounts; user++ {
			if a.remembered(key(user), now) != nil {
				users = append(users, user)
			}
		}
		return users
	}
	a.note(store.Changed{Users: map[id.User]time.Time{1: changed, 102: changed}})
	a.note(store.Changed{Users: map[id.User]time.Time{1: old, 5: old}, Orgs: map[id.Org]time.Time{13: changed, 14: old}})
	if got := known(); !slices.Equal(got, []id.User{4, 5}) || len(a.accepted) != accounts {
		t.Errorf("after calls: %v are valid, %d cached", got, len(a.accepted))
	}
	fresh := *a.accepted[key(1)]
	fresh.userChanged = changed
	a.accepted[key(1)] = &fresh
	a.drop(store.Changed{Users: map[id.User]time.Time{1: old, 4: changed}}, now) // read before the calls
	if got := known(); !slices.Equal(got, []id.User{1, 5}) || len(a.accepted) != 2 {
		t.Errorf("after all changes were read: %v are valid, %d cached", got, len(a.accepted))
	}
	if len(a.recent.Users)+len(a.recent.Orgs) > 0 {
		t.Errorf("%v are still recent", a.recent)
	}
}
