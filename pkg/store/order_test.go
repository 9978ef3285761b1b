package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// Ids of messages, positions in the log and the messages that users received are consistent: a message's id is in the
// ranges of a subscription exactly if the message is between subscribing and unsubscribing in the log.
func TestReceivedAgreesWithTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	users, streams := w.users(org, 3), w.streams(org, "a", "b", "c", "d")
	work := sync.WaitGroup{}
	for sender := range 16 { // enough to share transactions
		work.Go(func() {
			for i := range 60 {
				stream := streams[(sender+i)%4]
				m := store.NewMessage{
					Sender: users[sender%3], Stream: stream, StreamVersion: 1, Topic: "t", Content: "x", Rendered: "x", Client: "Test",
					Payload: fmt.Sprintf(`"stream_id":%d}}`, stream), Audience: event.Audience{Subscribers: stream},
				}
				if _, ok, err := w.db.Send(t.Context(), org, m); !ok || err != nil {
					t.Errorf("send: %v, %v", ok, err)
				}
			}
		})
	}
	for _, user := range users {
		work.Go(func() {
			random := rand.New(rand.NewPCG(uint64(user), 2))
			for range 60 {
				if err := toggle(t.Context(), w.db, org, streams[random.IntN(4)], user); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()

	type receipt struct {
		Message int64
		User    id.User
	}
	got := storetest.Rows[receipt](w.session, `select m.message_id, s.user_id from messages m
		join subscriptions s on s.org_id = m.org_id and s.stream_id = m.stream_id and s.received @> m.message_id
		order by 1, 2`)
	type logged struct {
		Message *int64
		Stream  *int64
		Change  *event.Change
	}
	want, subscribed, messages := []receipt{}, map[event.Membership]bool{}, 0
	for _, e := range storetest.Rows[logged](w.session, `select (payload::jsonb #>> '{message,id}')::bigint,
		(payload::jsonb #>> '{message,stream_id}')::bigint, change::jsonb from event_log order by xid, id`) {
		if e.Change != nil {
			s := state{Subscriptions: subscribed}
			s.apply(*e.Change)
		}
		if e.Message == nil {
			continue
		}
		messages++
		for _, user := range users {
			if subscribed[event.Membership{Stream: id.Stream(*e.Stream), User: user}] {
				want = append(want, receipt{*e.Message, user})
			}
		}
	}
	slices.SortFunc(want, func(a, b receipt) int {
		if a.Message != b.Message {
			return int(a.Message - b.Message)
		}
		return int(a.User - b.User)
	})
	if messages != 16*60 || len(want) == 0 || len(want) == messages*len(users) {
		t.Fatalf("%d messages, %d receipts: this proves nothing", messages, len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by the log against by the ranges (-want +got):\n%s", diff)
	}
}

// The events of changes under a lock have the order of the changes, although they change the row that is locked.
func TestLocksOrderEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	user, stream := w.users(org, 1)[0], w.streams(org, "a")[0]
	message, ok, err := w.db.Send(t.Context(), org, store.NewMessage{
		Sender: user, Stream: stream, StreamVersion: 1, Topic: "t", Content: "x", Rendered: "x", Client: "Test", Payload: `"stream_id":1}}`,
	})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	for name, change := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"account": func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.LockAccount(ctx, user), tx.ReadEverything(ctx, 1, user))
		},
		"message": func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.LockMessage(ctx, message)
			return errors.Join(err, tx.MoveToTopic(ctx, &stream, "t", []int64{int64(message)}))
		},
	} {
		work, made := sync.WaitGroup{}, atomic.Int64{}
		for range 6 {
			work.Go(func() {
				for range 30 {
					err := w.db.Write(t.Context(), org, func(tx *store.Tx) error {
						if err := change(t.Context(), tx); err != nil {
							return err
						}
						return tx.Emit(t.Context(), event.Typing{Op: name, Sender: event.Typist{UserID: id.User(made.Add(1))}})
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		got := storetest.Values[int64](w.session, `select (payload::jsonb #>> '{sender,user_id}')::bigint from event_log
			where type = 'typing' and payload::jsonb ->> 'op' = $1 order by xid, id`, name)
		if len(got) != 180 || !slices.IsSorted(got) {
			t.Errorf("%s: the events of changes 1 to 180 have the order %v", name, got)
		}
	}
}

// Who waits until the sends to several places have ended holds up no others meanwhile, and so is part of no deadlock.
func TestSettlingHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	w.session.Exec("begin")
	w.session.Exec("select pg_advisory_xact_lock(50)")
	done := make(chan error, 1)
	go func() {
		done <- w.db.Read(t.Context(), org, func(tx *store.Tx) error {
			_, err := tx.SettledUpto(t.Context(), []int64{50, 12})
			return err
		})
	}()
	w.session.AwaitBlocked(1)
	if !storetest.Values[bool](w.session, "select pg_try_advisory_xact_lock_shared(12)")[0] {
		t.Error("a send to another place would wait")
	}
	w.session.Exec("commit")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
