package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
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
