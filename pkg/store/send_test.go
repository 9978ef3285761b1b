package store_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// to returns a message to a stream.
func to(sender id.User, stream id.Stream, text string) store.NewMessage {
	return store.NewMessage{
		Sender: sender, Stream: stream, StreamVersion: 1, Topic: "t", Content: text, Rendered: text, Client: "Test",
		Payload: fmt.Sprintf(`"content":%q}}`, text), Audience: event.Audience{Subscribers: stream},
	}
}

// Messages of many senders share transactions, and each has its own outcome: stored once, refused because the stream
// has changed, or failed with its own error.
func TestSendTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org, other := w.org(), w.org()
	sender, foreign := w.users(org, 1)[0], w.users(other, 1)[0]
	stream, elsewhere := w.streams(org, "a")[0], w.streams(other, "a")[0]
	const senders, each = 24, 20
	sent := sync.Map{} // texts by id
	work := sync.WaitGroup{}
	for n := range senders {
		work.Go(func() {
			for i := range each {
				in, m := org, to(sender, stream, fmt.Sprintf("%d.%d", n, i))
				wantErr, wantOK := false, true
				switch n % 4 {
				case 1:
					in, m = other, to(foreign, elsewhere, m.Content)
				case 2:
					m.StreamVersion, wantOK = 9, false
				case 3:
					if i%10 == 0 {
						m.Content, wantErr, wantOK = "U+0000: \x00", true, false
					}
				}
				message, ok, err := w.db.Send(t.Context(), in, m)
				if ok != wantOK || (err != nil) != wantErr {
					t.Errorf("%q: %d, %v, %v", m.Content, message, ok, err)
				}
				if _, twice := sent.Swap(message, m.Content); ok && twice {
					t.Errorf("two messages have the id %d", message)
				}
			}
		})
	}
	work.Wait()
	type row struct {
		Message id.Message
		Text    string
		Payload string
	}
	rows := storetest.Rows[row](w.session, `select m.message_id, m.content, e.payload from messages m
		left join event_log e on e.xid = m.xmin::text::xid8 and e.payload like '%"id":' || m.message_id || ',%'`)
	if want := senders / 4 * (each + each + each*9/10); len(rows) != want {
		t.Errorf("%d messages with their events, want %d", len(rows), want)
	}
	for _, r := range rows {
		if text, _ := sent.Load(r.Message); text != r.Text || !strings.Contains(r.Payload, fmt.Sprintf(`"content":%q}`, r.Text)) {
			t.Errorf("message %d is %q and has the event %s, its sender sent %q", r.Message, r.Text, r.Payload, text)
		}
	}
	if n := storetest.Values[int](w.session, `select count(distinct xmin::text)::int from messages`)[0]; n > len(rows)/2 {
		t.Errorf("%d transactions for %d messages", n, len(rows))
	}
}

// A stream whose subscriptions are being changed delays only messages to that stream.
func TestSendPastLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	sender, streams := w.users(org, 1)[0], w.streams(org, "locked", "free")
	held, release := make(chan struct{}), make(chan struct{})
	work := sync.WaitGroup{}
	work.Go(func() {
		err := w.db.Write(t.Context(), org, func(tx *store.Tx) error {
			err := tx.LockSubscriptions(t.Context(), streams[0])
			close(held)
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	const late = 3 // fewer than the number of connections
	for range late {
		work.Go(func() {
			if _, ok, err := w.db.Send(t.Context(), org, to(sender, streams[0], "late")); !ok || err != nil {
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
	const lockedOut = `select count(*)::int from pg_locks l join pg_database d on d.oid = l.database
		where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
	for storetest.Values[int](w.session, lockedOut)[0] != late {
		time.Sleep(time.Millisecond)
	}
	for i := range 20 {
		if _, ok, err := w.db.Send(t.Context(), org, to(sender, streams[1], strconv.Itoa(i))); !ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	}
	if n := storetest.Values[int](w.session, `select count(*)::int from messages where content = 'late'`)[0]; n != 0 {
		t.Errorf("%d messages were stored under the lock", n)
	}
	close(release)
	work.Wait()
	texts := storetest.Values[string](w.session, `select content from messages order by message_id desc limit 3`)
	if diff := cmp.Diff([]string{"late", "late", "late"}, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A batch is repeated on another connection, which hasn't prepared its statements.
func TestBatchOnOtherConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	batch := &pgx.Batch{}
	batch.Queue("select $1::text || ' sent'", "once")
	for range 3 {
		if err := w.db.SendBatch(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		w.db.Reconnect()
	}
}

// A send whose context ends before its turn isn't stored. One whose context ends later is.
func TestSendGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	sender, stream := w.users(org, 1)[0], w.streams(org, "a")[0]
	work := sync.WaitGroup{}
	stored := atomic.Int32{}
	for n := range 40 {
		work.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			go cancel()
			_, ok, err := w.db.Send(ctx, org, to(sender, stream, strconv.Itoa(n)))
			switch {
			case ok && err == nil:
				stored.Add(1)
			case !errors.Is(err, context.Canceled):
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
	work.Wait()
	if n := storetest.Values[int32](w.session, `select count(*)::int from messages`)[0]; n != stored.Load() {
		t.Errorf("%d messages are stored, %d were confirmed", n, stored.Load())
	}
}
