package store_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// A failure keeps nobody else's messages from being processed, and those that failed are tried once more, or until the database can
// be reached.
func TestNewMessagesFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	sender, stream := w.users(org, 1)[0], w.streams(org, "hall")[0]
	shard := int16(w.db.Shard(org))
	unseen := func() bool {
		shards, err := w.db.UnseenShards(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(shards, shard)
	}
	unseen() // from here on
	send := func() {
		if _, ok, err := w.db.Send(t.Context(), org, to(sender, stream, "hello")); err != nil || !ok {
			t.Fatal(ok, err)
		}
		// Transactions of other tests keep the newest events from being read, for as long as they last.
		settled := func() bool {
			return storetest.Values[bool](w.session, "select not exists (select from event_log where xid >= pg_snapshot_xmin(pg_current_snapshot()))")[0]
		}
		testbed.Until(t, "the log has a new message", func() bool { return unseen() && settled() })
	}
	// An edit that mentions somebody is noted by a call of its own, after the new messages.
	edit := func() {
		w.session.Exec(`insert into event_log (shard, org_id, type, payload, audience) values ($1, $2, 'update_message',
			'{"type":"update_message","user_id":1,"edit_timestamp":0,"message_id":1}', '{"notify":[1]}')`, shard, int64(org))
		send()
	}
	// try checks for which calls, in order, messages are passed: "new", or "edit". failures are what they return; then nil.
	try := func(what string, calls string, want error, failures ...error) {
		t.Helper()
		made := []string(nil)
		w.session.Exec("update missed_places set due_at = now() where shard = $1", shard) // the lease has ended
		_, err := w.db.NewMessages(t.Context(), shard, time.Minute, time.Millisecond, func(found store.MessageBatch) (err error) {
			if found.Only != nil {
				made = append(made, "edit")
			} else {
				made = append(made, "new")
			}
			if len(failures) > 0 {
				err, failures = failures[0], failures[1:]
			}
			return err
		})
		if strings.Join(made, " ") != calls || !errors.Is(err, want) {
			t.Errorf("%s: calls %q, want %q; %v, want %v", what, made, calls, err, want)
		}
	}
	broken := errors.New("broken")

	edit()
	try("the first call fails", "edit new edit", nil, broken)
	try("it succeeded", "", nil)
	edit()
	try("one fails twice", "edit new edit", broken, broken, nil, broken)
	try("it was skipped", "", nil)
	edit()
	try("no database", "edit", store.ErrUnavailable, store.ErrUnavailable)
	try("no database later", "edit new edit", store.ErrUnavailable, broken, nil, store.ErrUnavailable)
	try("the database is back", "edit new", nil)
	try("it succeeded", "", nil)

	// However long a part takes, no other process gets it meanwhile.
	send()
	const lease = 600 * time.Millisecond
	until := func() time.Time {
		return storetest.Values[time.Time](w.session, "select due_at from missed_places where shard = $1", shard)[0]
	}
	_, err := w.db.NewMessages(t.Context(), shard, lease, time.Millisecond, func(store.MessageBatch) error {
		first := until()
		testbed.Until(t, "the lease is renewed", func() bool { return until().After(first) })
		return nil
	})
	if free := storetest.Values[bool](w.session, "select due_at <= now() from missed_places where shard = $1", shard)[0]; err != nil || !free {
		t.Errorf("%v; the lease has ended: %t", err, free)
	}
}

// Looking for new messages reads none of the events before, however many there are, and whenever PostgreSQL has made its plans.
func TestOldEventsAreNotRead(t *testing.T) {
	t.Parallel()
	for _, analyzed := range []bool{false, true} {
		w := newWorld(t)
		w.session.Exec("insert into missed_places (shard, xid, id) select s, '0', 0 from installation, generate_series(0, shards - 1) s")
		if !analyzed {
			w.session.Exec("vacuum (analyze) event_log")
		}
		places, messages, err := w.db.Log().ExplainMissed(t.Context(), func() {
			w.session.Exec(`insert into event_log (shard, org_id, type, payload, audience)
				select i % 4, 1, 'note', '{}', '{}' from generate_series(1, 20000) i`)
			w.session.Exec("update missed_places p set (xid, id) = (select l.xid, max(l.id) - 5 from event_log l where l.shard = p.shard group by 1) where shard < 4")
			if analyzed {
				w.session.Exec("vacuum (analyze) event_log")
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{places, messages} {
			explained := []struct {
				Plan plan `json:"Plan"`
			}{}
			if err := json.Unmarshal(text, &explained); err != nil {
				t.Fatal(err)
			}
			explained[0].Plan.walk(func(p plan) {
				if strings.HasPrefix(p.Relation, "event_log") && (p.Node == "Seq Scan" || p.Rows*p.Loops+p.Removed*p.Loops > 40) {
					t.Errorf("analyzed: %v: %s of %s: %v rows, %v removed, %v times", analyzed, p.Node, p.Relation, p.Rows, p.Removed, p.Loops)
				}
			})
		}
	}
}
