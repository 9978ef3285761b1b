package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
)

// world is a database with a recorder of wake-ups.
type world struct {
	t       *testing.T
	db      *store.DB
	url     string
	session *storetest.Session
	waker   *waker
	serial  int
}

// waker records wake-ups, and the result of look at that moment.
type waker struct {
	mutex  sync.Mutex
	shards []int
	look   func()
}

func (w *waker) Wake(shard int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.shards = append(w.shards, shard)
	if w.look != nil {
		w.look()
	}
}

// woken returns the shards that were woken since the last call.
func (w *waker) woken() []int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	shards := w.shards
	w.shards = nil
	return shards
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, waker: &waker{}}
	w.db, w.url = storetest.OpenWaking(t, w.waker)
	w.session = storetest.Connect(t, w.url)
	return w
}

// org creates an organization.
func (w *world) org() id.Org {
	w.t.Helper()
	w.serial++
	org, err := w.db.NewOrganization(w.t.Context(), func(tx *store.Tx) error {
		_, err := tx.CreateOrganization(w.t.Context(), sqlc.CreateOrganizationParams{
			Subdomain: fmt.Sprintf("org%d", w.serial), Name: "Org", Settings: json.RawMessage("{}"),
		})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return org
}

// users creates members of an organization.
func (w *world) users(org id.Org, count int) []id.User {
	w.t.Helper()
	made := []id.User(nil)
	err := w.db.Write(w.t.Context(), org, func(tx *store.Tx) error {
		made = nil
		for range count {
			w.serial++
			row, err := tx.CreateUser(w.t.Context(), sqlc.CreateUserParams{
				Email: fmt.Sprintf("user%d@chat.example", w.serial), FullName: fmt.Sprintf("User %d", w.serial),
				Role: actor.Member, Settings: json.RawMessage("{}"), JoinedAt: time.Now(),
			})
			if err != nil {
				return err
			}
			made = append(made, row.UserID)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// streams creates public streams without subscribers.
func (w *world) streams(org id.Org, names ...string) []id.Stream {
	w.t.Helper()
	made := []id.Stream(nil)
	err := w.db.Write(w.t.Context(), org, func(tx *store.Tx) error {
		rows, err := tx.CreateStreams(w.t.Context(), sqlc.CreateStreamsParams{
			Names: names, Descriptions: make([]string, len(names)), RenderedDescriptions: make([]string, len(names)),
			HistoryPublic: true, PostPolicy: 1,
		})
		made = nil
		for _, row := range rows {
			made = append(made, row.StreamID)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// toggle subscribes the user to the stream, or unsubscribes the user.
func toggle(ctx context.Context, db *store.DB, org id.Org, stream id.Stream, user id.User) error {
	return db.Write(ctx, org, func(tx *store.Tx) error {
		if err := tx.LockSubscriptions(ctx, stream); err != nil {
			return err
		}
		streams, users := []int64{int64(stream)}, []int64{int64(user)}
		rows, err := tx.SubscriptionsAmong(ctx, streams, users)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(rows, func(r sqlc.SubscriptionsAmongRow) bool { return r.Active }) {
			if err := tx.Unsubscribe(ctx, streams, users); err != nil {
				return err
			}
			return tx.Emit(ctx, event.SubscriptionRemoved{User: user, Streams: []event.StreamName{{ID: stream}}})
		}
		if _, err := tx.Subscribe(ctx, streams, users, []string{"#aabbcc"}); err != nil {
			return err
		}
		return tx.Emit(ctx, event.SubscriptionAdded{User: user, Subscriptions: []event.Subscription{{Stream: event.Stream{ID: stream}}}})
	})
}

// note is an event for tests.
type note struct {
	Text string `json:"text"`
}

func (note) Kind() event.Kind         { return event.Kind{Type: "note"} }
func (note) Audience() event.Audience { return event.Audience{Everyone: true} }

func (w *world) emit(org id.Org, texts ...string) {
	w.t.Helper()
	err := w.db.Write(w.t.Context(), org, func(tx *store.Tx) error {
		for _, text := range texts {
			if err := tx.Emit(w.t.Context(), note{text}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// read returns all events after a position. It waits for transactions of other tests too, because the server includes
// them.
func (w *world) read(shard int, after store.Position) []store.LogEntry {
	w.t.Helper()
	for all := []store.LogEntry{}; ; {
		const limit = 1000
		entries, more, err := w.db.Log().Read(w.t.Context(), shard, after, limit)
		if err != nil {
			w.t.Fatal(err)
		}
		if all = append(all, entries...); len(entries) > 0 {
			after = entries[len(entries)-1].Position
		}
		if more {
			time.Sleep(5 * time.Millisecond)
		} else if !store.IsFull(entries, limit) {
			return all
		}
	}
}

func texts(entries []store.LogEntry) []string {
	list := []string{}
	for _, e := range entries {
		n := note{}
		if err := json.Unmarshal([]byte(e.Payload), &n); err != nil {
			n.Text = err.Error()
		}
		list = append(list, n.Text)
	}
	return list
}
