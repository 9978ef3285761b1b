package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// accountChanged is the event of a changed account.
type accountChanged struct{ event.AccountChange }

func (accountChanged) Kind() event.Kind         { return event.Kind{Type: "note"} }
func (accountChanged) Audience() event.Audience { return event.Audience{Everyone: true} }
func (e accountChanged) Change() *event.Change {
	return &event.Change{Accounts: []event.AccountChange{e.AccountChange}}
}

// state contains the accounts of an organization and their subscriptions.
type state struct {
	Accounts      map[id.User]event.Account
	Subscriptions map[event.Membership]bool
}

func (s state) clone() state { return state{maps.Clone(s.Accounts), maps.Clone(s.Subscriptions)} }

func (s state) apply(c event.Change) {
	for _, m := range c.Subscribed {
		s.Subscriptions[m] = true
	}
	for _, m := range c.Unsubscribed {
		delete(s.Subscriptions, m)
	}
	for _, a := range c.Accounts {
		s.Accounts[a.User] = a.After
	}
}

// at returns the state at a position, as a dispatcher computes it.
func (w *world) at(org id.Org, position store.Position) (state, error) {
	roster, err := w.db.Log().Roster(w.t.Context(), org, position)
	s := state{roster.Accounts, map[event.Membership]bool{}}
	for _, m := range roster.Subscriptions {
		s.Subscriptions[m] = true
	}
	for _, c := range roster.Undo {
		for _, m := range c.Subscribed {
			delete(s.Subscriptions, m)
		}
		for _, m := range c.Unsubscribed {
			s.Subscriptions[m] = true
		}
		for _, a := range c.Accounts {
			if a.Before == nil {
				delete(s.Accounts, a.User)
			} else {
				s.Accounts[a.User] = *a.Before
			}
		}
	}
	return s, err
}

// join creates an account, and emits its event in the same transaction.
func (w *world) join(org id.Org) error {
	w.serial++
	return w.db.Write(w.t.Context(), org, func(tx *store.Tx) error {
		row, err := tx.CreateUser(w.t.Context(), sqlc.CreateUserParams{
			Email: fmt.Sprintf("user%d@chat.example", w.serial), FullName: "New", Role: actor.Guest, Settings: json.RawMessage("{}"),
			JoinedAt: time.Now(),
		})
		if err != nil {
			return err
		}
		return tx.Emit(w.t.Context(), accountChanged{event.AccountChange{
			User: row.UserID, After: event.Account{Role: actor.Guest, Active: true},
		}})
	})
}

// After any changes, the roster without the later ones is the state at each position in the log.
func TestRosterAtEachPosition(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		org, other := w.org(), w.org()
		users, streams := w.users(org, 3), w.streams(org, "a", "b")
		strangers, elsewhere := w.users(other, 1), w.streams(other, "a")
		now, err := w.at(org, store.Position{})
		if err != nil {
			rt.Fatal(err)
		}
		positions, states := []store.Position{{}}, []state{now}
		shard, last := w.db.Shard(org), store.Position{}
		for range rapid.IntRange(1, 10).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0, 1:
				err = toggle(t.Context(), w.db, other, elsewhere[0], strangers[0])
			case 2:
				err = w.join(org)
			default:
				err = toggle(t.Context(), w.db, org, rapid.SampledFrom(streams).Draw(rt, "stream"), rapid.SampledFrom(users).Draw(rt, "user"))
			}
			if err != nil {
				rt.Fatal(err)
			}
			for _, e := range w.read(shard, last) {
				next := states[len(states)-1].clone()
				if e.Org == org && e.Change != nil {
					next.apply(*e.Change)
				}
				positions, states, last = append(positions, e.Position), append(states, next), e.Position
			}
		}
		for i, position := range positions {
			got, err := w.at(org, position)
			if diff := cmp.Diff(states[i], got, cmpopts.EquateEmpty()); err != nil || diff != "" {
				rt.Fatalf("event %d: %v\n%s", i, err, diff)
			}
		}
	})
}

// A roster that is read while others write is correct, too.
func TestRosterBesideWriters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	users, streams := w.users(org, 4), w.streams(org, "a", "b")
	start, err := w.at(org, store.Position{})
	if err != nil {
		t.Fatal(err)
	}
	// On a machine of any speed, the writers continue until there were enough concurrent reads.
	writers, enough := sync.WaitGroup{}, make(chan struct{})
	for writer := range 4 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(writer), 1))
			for {
				select {
				case <-enough:
					return
				default:
				}
				if err := toggle(t.Context(), w.db, org, streams[random.IntN(2)], users[random.IntN(4)]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	end := sync.OnceFunc(func() { close(enough); writers.Wait() })
	defer end()
	shard, position := w.db.Shard(org), store.Position{}
	seen := map[store.Position]state{}
	for deadline := time.Now().Add(60 * time.Second); len(seen) < 20; {
		if time.Now().After(deadline) {
			t.Fatalf("only %d rosters were read", len(seen))
		}
		entries, _, err := w.db.Log().Read(t.Context(), shard, position, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		position = entries[len(entries)-1].Position
		if seen[position], err = w.at(org, position); err != nil {
			t.Fatal(err)
		}
	}
	end()
	for _, e := range w.read(shard, store.Position{}) {
		start.apply(*e.Change)
		if got, ok := seen[e.Position]; ok {
			if diff := cmp.Diff(start, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("at %v (-want +got):\n%s", e.Position, diff)
			}
		}
	}
}

// Events that a restored dump has brought from another server, whose transactions have higher ids, are neither read nor
// undone, and can be deleted.
func TestLogOfOtherHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	users, stream := w.users(org, 2), w.streams(org, "hall")[0]
	for _, user := range users {
		if err := toggle(t.Context(), w.db, org, stream, user); err != nil {
			t.Fatal(err)
		}
	}
	log, shard := w.db.Log(), w.db.Shard(org)
	entries := w.read(shard, store.Position{}) // until all events are settled
	last := entries[len(entries)-1].Position
	want, err := w.at(org, last)
	if err != nil || len(want.Subscriptions) != 2 {
		t.Fatal(want, err)
	}
	change, err := json.Marshal(event.Change{Subscribed: []event.Membership{{Stream: stream, User: users[0]}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		w.session.Exec(`insert into event_log (shard, xid, org_id, type, payload, audience, change, created_at)
			values ($1, '9000000000', $2, 'note', '{"text":"old"}', '{}', $3, $4)`, shard, org, string(change), time.Now().Add(time.Duration(-20*i)*time.Hour))
	}
	got, err := w.at(org, last)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("roster: %v (-want +got):\n%s", err, diff)
	}
	if entries, more, err := log.Read(t.Context(), shard, last, 10); err != nil || more || len(entries) > 0 {
		t.Errorf("%v, more %t, %v", texts(entries), more, err)
	}
	if late, err := log.HasExpiring(t.Context(), shard, last, 24*time.Hour); err != nil || late {
		t.Errorf("some are about to be deleted: %t, %v", late, err)
	}
	for _, other := range []int{shard + 1, shard} {
		if err := log.ForgetOtherHistory(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		left := storetest.Values[int](w.session, "select count(*)::int from event_log where shard = $1", shard)[0]
		if want := len(entries) + 3; other != shard && left != want || other == shard && left != want-3 {
			t.Errorf("after deleting those of shard %d: %d events", other, left)
		}
	}
}
