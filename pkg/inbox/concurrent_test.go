package inbox_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/testbed"
)

// subscribed returns ada, who is subscribed to the stream 9001, has a conversation with bob, and has the given number
// of unread messages from bob in the stream.
func subscribed(t *testing.T, messages int) (w *world, ada actor.Actor, bob id.User, service *inbox.Service) {
	t.Helper()
	w = newWorld(t)
	ada, bob = w.actor(w.acme, "ada"), w.person(w.acme, "bob")
	w.stream(w.acme, 9001)
	w.conversation(w.acme, 9101, ada.User, bob)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9001, $2, '#fff', '{[1,)}')`, w.acme.ID, ada.User)
	w.sendBy(bob, messages)
	return w, ada, bob, inbox.New(w.db)
}

// sendBy sends messages to the stream 9001, to one of three topics each.
func (w *world) sendBy(sender id.User, messages int) {
	w.t.Helper()
	w.exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, 9001 as stream_id, 't' || n % 3 as topic
		from generate_series(1, $3::int) n`), w.acme.ID, sender, messages)
}

func read1(m ...id.Message) inbox.FlagChange { return inbox.FlagChange{Messages: m, Flag: "read"} }

func unread1(m ...id.Message) inbox.FlagChange {
	return inbox.FlagChange{Messages: m, Flag: "read", Remove: true}
}

// A message that is being sent has its id before it is visible. Marking later messages waits for it.
func TestMarksWaitForMessagesOnTheirWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		place int64
		mark  func(s *inbox.Service, ada actor.Actor) error
		// whether the message is read afterwards
		reads bool
	}{
		{"everything, in a stream", 9001, func(s *inbox.Service, ada actor.Actor) error { return s.MarkAll(t.Context(), ada) }, true},
		{"everything, in a conversation", 9101, func(s *inbox.Service, ada actor.Actor) error { return s.MarkAll(t.Context(), ada) }, true},
		{"the stream", 9001, func(s *inbox.Service, ada actor.Actor) error { return s.MarkStream(t.Context(), ada, 9001) }, true},
		{"its topic", 9001, func(s *inbox.Service, ada actor.Actor) error { return s.MarkTopic(t.Context(), ada, 9001, "t1") }, true},
		{"those around it", 9001, func(s *inbox.Service, ada actor.Actor) error { return s.SetFlags(t.Context(), ada, read1(1, 3)) }, false},
		{"those around it in a conversation", 9101, func(s *inbox.Service, ada actor.Actor) error {
			return s.SetFlags(t.Context(), ada, read1(1, 3))
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, ada, bob, service := subscribed(t, 0)
			send := func(m id.Message) row {
				w.exec(`select setval('message_ids', $1)`, m)
				if test.place == 9001 {
					return row{ID: m, Sender: bob, Stream: 9001, Topic: "t1"}
				}
				return row{ID: m, Sender: bob, Conversation: 9101}
			}
			w.messages(w.acme, send(1))
			sending := storetest.Connect(t, w.url)
			sending.Exec("begin")
			sending.Exec("select pg_advisory_xact_lock_shared($1)", test.place)
			late := send(2)
			sending.Exec(storetest.InsertMessages(`select $1::bigint as org_id, 2 as message_id, $2::bigint as sender_id, nullif($3::bigint, 0) as stream_id,
				nullif($4::bigint, 0) as conversation_id, $5::text as topic`), w.acme.ID, bob, late.Stream, late.Conversation, late.Topic)
			w.messages(w.acme, send(3))
			done := make(chan error, 1)
			go func() { done <- test.mark(service, ada) }()
			select {
			case err := <-done:
				t.Fatalf("didn't wait: %v", err)
			case <-time.After(200 * time.Millisecond):
			}
			sending.Exec("commit")
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			want := []id.Message{}
			if !test.reads {
				want = []id.Message{2}
			}
			if diff := cmp.Diff(want, list(w.unread(w.acme, ada.User))); diff != "" {
				t.Errorf("unread (-want +got):\n%s", diff)
			}
		})
	}
}

// Concurrent changes of marks by several clients of a user are all stored.
func TestConcurrentMarks(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const messages = 60
	w, ada, _, service := subscribed(t, messages)
	all := list(w.unread(w.acme, ada.User))
	for _, change := range []func(...id.Message) inbox.FlagChange{read1, unread1, read1} {
		group := sync.WaitGroup{}
		for _, m := range all {
			group.Go(func() {
				if err := service.SetFlags(t.Context(), ada, change(m)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		want := []id.Message{}
		if change().Remove {
			want = all
		}
		if diff := cmp.Diff(want, list(w.unread(w.acme, ada.User))); diff != "" {
			t.Errorf("unread (-want +got):\n%s", diff)
		}
	}
}

// A client that applies the events of concurrent changes has the read state of the database afterwards, although the
// account itself is changed meanwhile.
func TestConcurrentMarksEmitInOrder(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w, ada, _, service := subscribed(t, 1)
	all := list(w.unread(w.acme, ada.User))
	changes := []func() error{
		func() error { return service.SetFlags(t.Context(), ada, read1(all...)) },
		func() error { return service.SetFlags(t.Context(), ada, unread1(all...)) },
		func() error { return w.users.SetEnterSends(t.Context(), ada, true) },
	}
	for range 200 {
		group := sync.WaitGroup{}
		for _, change := range slices.Repeat(changes, 3) {
			group.Go(func() {
				if err := change(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		want, last := all, storetest.Values[string](w.session, `select payload::jsonb ->> 'operation' from event_log where type = 'update_message_flags'
			order by xid desc, id desc limit 1`)[0]
		if last == event.AddFlag {
			want = []id.Message{}
		}
		if diff := cmp.Diff(want, list(w.unread(w.acme, ada.User))); diff != "" {
			t.Fatalf("unread by the events against the database (-want +got):\n%s", diff)
		}
	}
}

// A change of several accounts' marks and a change of an account's own marks exclude each other.
func TestMarksWaitForThoseOfOthers(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w, ada, _, service := subscribed(t, 3)
	for name, change := range map[string]func(tx *store.Tx) error{
		"moving": func(tx *store.Tx) error {
			moved := inbox.Moved{FromStream: 9001, FromTopic: "t1", ToStream: 9001, ToTopic: "t2", Messages: []id.Message{1}}
			_, err := moved.Marks(t.Context(), tx)
			return err
		},
		"leaving": func(tx *store.Tx) error {
			_, err := stream.PrepareLeaving(t.Context(), tx, []event.Membership{{Stream: 9001, User: ada.User}})
			return err
		},
	} {
		for _, own := range []func() error{
			func() error { return service.MarkAll(t.Context(), ada) },
			func() error { return service.MarkStream(t.Context(), ada, 9001) },
			func() error { return service.MarkTopic(t.Context(), ada, 9001, "t1") },
			func() error { return service.SetFlags(t.Context(), ada, read1(1)) },
			func() error { return service.SetFlags(t.Context(), ada, unread1(1)) },
		} {
			done := make(chan error, 1)
			err := w.db.Write(t.Context(), w.acme.ID, func(tx *store.Tx) error {
				if err := change(tx); err != nil {
					return err
				}
				go func() { done <- own() }()
				select {
				case err := <-done:
					t.Errorf("%s: a mark didn't wait: %v", name, err)
					done <- err
				case <-time.After(50 * time.Millisecond):
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
