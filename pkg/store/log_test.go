package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

func TestLogReadReturnsWhatWasEmitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	user, stream := w.users(org, 1)[0], w.streams(org, "hall")[0]
	if err := toggle(t.Context(), w.db, org, stream, user); err != nil {
		t.Fatal(err)
	}
	entries := w.read(w.db.Shard(org), store.Position{})
	if len(entries) != 1 {
		t.Fatalf("%d events", len(entries))
	}
	got := entries[0]
	if time.Since(got.Created).Abs() > time.Minute || got.Xid == 0 || got.ID == 0 {
		t.Errorf("made at %v, position %v", got.Created, got.Position)
	}
	if !strings.HasPrefix(got.Payload, `{"type":"subscription","op":"add","subscriptions":[{`) {
		t.Errorf("payload %s", got.Payload)
	}
	want := store.LogEntry{
		Position: got.Position, Payload: got.Payload, Created: got.Created, Org: org, Type: "subscription",
		Audience: event.Audience{Users: []id.User{user}},
		Change:   &event.Change{Subscribed: []event.Membership{{Stream: stream, User: user}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// Payloads are found by exact positions, many at once, only in their shard.
func TestLogPayloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org, other := w.org(), w.org()
	w.emit(org, "a", "b", "c")
	w.emit(other, "x")
	entries := w.read(w.db.Shard(org), store.Position{})
	wanted, want := []store.Position{{}}, map[store.Position]store.Payload{}
	for _, e := range entries {
		wanted = append(wanted, store.Position{Xid: e.Xid + 1<<40, ID: e.ID}, store.Position{Xid: e.Xid, ID: e.ID + 1<<40}, e.Position)
		want[e.Position] = store.Payload{Org: org, JSON: []byte(e.Payload)}
	}
	for _, e := range w.read(w.db.Shard(other), store.Position{}) {
		wanted = append(wanted, e.Position)
	}
	got, err := w.db.Log().Payloads(t.Context(), w.db.Shard(org), wanted)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 3 {
		t.Errorf("of %d events (-want +got):\n%s", len(want), diff)
	}
}

// Shards are separate, and a reader gets no more than it requests.
func TestLogReadIsOfOneShard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.org(), w.org()
	w.emit(one, "a", "b", "c")
	w.emit(two, "x")
	if w.db.Shard(one) == w.db.Shard(two) {
		t.Fatal("both organizations are in one shard")
	}
	w.read(w.db.Shard(one), store.Position{}) // until all events are settled
	got, at := []string{}, store.Position{}
	for _, limit := range []int{2, 1, 5} {
		entries, more, err := w.db.Log().Read(t.Context(), w.db.Shard(one), at, limit)
		if err != nil || more || len(entries) > limit {
			t.Fatalf("%d events, more %v, %v", len(entries), more, err)
		}
		for _, e := range entries {
			got, at = append(got, texts([]store.LogEntry{e})...), e.Position
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"x"}, texts(w.read(w.db.Shard(two), store.Position{}))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A read ends after large events, so that neither memory nor a call of Redis depends on how large the next ones are. An event
// that is larger than that is read alone.
func TestLogReadOfLargeEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	shard, want := w.db.Shard(org), []int{}
	for _, size := range []int{10, 300_000, 600_000, 600_000, 10, 3_000_000, 10, 10} {
		w.emit(org, strings.Repeat("x", size))
		want = append(want, size)
	}
	all := w.read(shard, store.Position{})
	end := all[len(all)-1].Position
	log := w.db.Log()
	for name, read := range map[string]func(at store.Position) ([]store.LogEntry, error){
		"of all": func(at store.Position) ([]store.LogEntry, error) {
			entries, _, err := log.Read(t.Context(), shard, at, 100)
			return entries, err
		},
		"of one": func(at store.Position) ([]store.LogEntry, error) {
			return log.ReadOf(t.Context(), org, at, end, 100)
		},
	} {
		got, counts, at := []int{}, []int{}, store.Position{}
		for full := true; full; {
			entries, err := read(at)
			if err != nil || len(entries) == 0 {
				t.Fatalf("%d events, %v", len(entries), err)
			}
			for _, text := range texts(entries) {
				got = append(got, len(text))
			}
			full, at, counts = store.IsFull(entries, 100), entries[len(entries)-1].Position, append(counts, len(entries))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: sizes (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]int{4, 2, 2}, counts); diff != "" {
			t.Errorf("%s: events in each read (-want +got):\n%s", name, diff)
		}
	}
}

// A shard's log without some organizations, and that of one of them up to a position.
func TestLogReadOfSome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.org()
	two, three := one+id.Org(w.db.Shards()), one+id.Org(2*w.db.Shards())
	shard := w.db.Shard(one)
	for i, org := range []id.Org{one, two, one, three, two, one} {
		w.emit(org, strconv.Itoa(i))
	}
	all := w.read(shard, store.Position{})
	for _, test := range []struct {
		without []id.Org
		want    []string
	}{
		{nil, []string{"0", "1", "2", "3", "4", "5"}},
		{[]id.Org{two}, []string{"0", "2", "3", "5"}},
		{[]id.Org{one, three}, []string{"1", "4"}},
		{[]id.Org{three, two, one}, []string{}},
		{[]id.Org{one + 1}, []string{"0", "1", "2", "3", "4", "5"}},
	} {
		entries, more, err := w.db.Log().Read(t.Context(), shard, store.Position{}, 10, test.without...)
		if diff := cmp.Diff(test.want, texts(entries)); err != nil || more || diff != "" {
			t.Errorf("without %v: more %t, error %v (-want +got):\n%s", test.without, more, err, diff)
		}
	}
	for _, test := range []struct {
		after, last store.Position
		limit       int
		want        []string
	}{
		{store.Position{}, all[5].Position, 10, []string{"0", "2", "5"}},
		{store.Position{}, all[5].Position, 2, []string{"0", "2"}},
		{all[0].Position, all[4].Position, 10, []string{"2"}},
		{all[0].Position, all[2].Position, 10, []string{"2"}},
		{all[0].Position, all[1].Position, 10, []string{}},
		{all[5].Position, all[0].Position, 10, []string{}},
	} {
		entries, err := w.db.Log().ReadOf(t.Context(), one, test.after, test.last, test.limit)
		if diff := cmp.Diff(test.want, texts(entries)); err != nil || diff != "" {
			t.Errorf("after %v up to %v: error %v (-want +got):\n%s", test.after, test.last, err, diff)
		}
		if len(entries) > 0 && test.after == all[0].Position {
			if diff := cmp.Diff(all[2], entries[0]); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		}
	}
}

// A committed event waits for every transaction that began to write before it.
func TestLogReadHoldsBackBehindOpenTransactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	shard := w.db.Shard(org)
	log := w.db.Log()
	w.emit(org, "first")
	at := w.read(shard, store.Position{})[0].Position

	for _, end := range []string{"commit", "rollback"} {
		old := storetest.Connect(t, w.url)
		old.Exec("begin")
		old.Exec("select pg_current_xact_id()")
		w.emit(org, "younger")
		old.Exec("insert into event_log (shard, org_id, type, payload, audience) values ($1, $2, 'note', '{\"text\":\"older\"}', '{}')", shard, org)
		entries, more, err := log.Read(t.Context(), shard, at, 10)
		if err != nil || len(entries) != 0 || !more {
			t.Fatalf("%v, more %v, %v; want none, more", texts(entries), more, err)
		}
		old.Exec(end)
		want := []string{"older", "younger"}
		if end == "rollback" {
			want = want[1:]
		}
		behind := w.read(shard, at)
		if diff := cmp.Diff(want, texts(behind)); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", end, diff)
		}
		at = behind[len(behind)-1].Position
	}
	// A read-only transaction delays no events.
	reader := storetest.Connect(t, w.url)
	reader.Exec("begin")
	reader.Exec("select * from event_log")
	w.emit(org, "last")
	if diff := cmp.Diff([]string{"last"}, texts(w.read(shard, at))); diff != "" {
		t.Errorf("beside a reader (-want +got):\n%s", diff)
	}
}

// Whatever writers do, a reader that follows the log gets the same events as one that reads it at the end: none is
// inserted before its position, and none is returned twice.
func TestLogIsAStablePrefix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	shard := w.db.Shard(org)
	const writers, each = 6, 60
	running := sync.WaitGroup{}
	committed := make([][]string, writers)
	for writer := range writers {
		running.Go(func() {
			for i := range each {
				names := []string{fmt.Sprintf("%d.%d.a", writer, i), fmt.Sprintf("%d.%d.b", writer, i)}
				err := w.db.Write(t.Context(), org, func(tx *store.Tx) error {
					for at, name := range names {
						if err := tx.Emit(t.Context(), note{name}); err != nil {
							return err
						}
						time.Sleep(time.Duration((writer*7+i*3+at)%5) * 300 * time.Microsecond)
					}
					if (writer+i)%4 == 0 {
						return errors.New("rolled back")
					}
					return nil
				})
				if err == nil {
					committed[writer] = append(committed[writer], names...)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()

	followed, at, last := []store.LogEntry{}, store.Position{}, false
	for {
		entries, more, err := w.db.Log().Read(t.Context(), shard, at, 7)
		if err != nil {
			t.Fatal(err)
		}
		followed = append(followed, entries...)
		if len(entries) > 0 {
			at = entries[len(entries)-1].Position
			continue
		}
		if last && !more {
			break
		}
		select {
		case <-done:
			last = true
		default:
		}
	}
	if diff := cmp.Diff(texts(w.read(shard, store.Position{})), texts(followed)); diff != "" {
		t.Errorf("followed against read at the end:\n%s", diff)
	}
	for i := 1; i < len(followed); i++ {
		a, b := followed[i-1].Position, followed[i].Position
		if a.Xid > b.Xid || a.Xid == b.Xid && a.ID >= b.ID {
			t.Fatalf("%v comes before %v", a, b)
		}
	}
	want, got := slices.Concat(committed...), texts(followed)
	if slices.Sort(want); len(want) == 0 {
		t.Fatal("nothing was committed")
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("committed against followed:\n%s", diff)
	}
}

// Events that are committed after a call of End come after its result.
func TestLogEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	shard := w.db.Shard(org)
	w.emit(org, "old")
	open := storetest.Connect(t, w.url)
	open.Exec("begin")
	open.Exec("insert into event_log (shard, org_id, type, payload, audience) values ($1, $2, 'note', '{\"text\":\"open\"}', '{}')", shard, org)
	end, err := w.db.Log().End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open.Exec("commit")
	w.emit(org, "new")
	if diff := cmp.Diff([]string{"open", "new"}, slices.DeleteFunc(texts(w.read(shard, end)), func(s string) bool { return s == "old" })); diff != "" {
		t.Errorf("behind the end (-want +got):\n%s", diff)
	}
	for { // until there is no open transaction that is older than the events
		end, err := w.db.Log().End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(w.read(shard, end)) == 0 {
			break
		}
	}
}

// The log is read by its index even if PostgreSQL made its plan while the log was empty and hasn't analyzed it since.
// Otherwise each read would scan all events of the last hours.
func TestReadPlannedWhileEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.Exec("vacuum (analyze) event_log")
	text, err := w.db.Log().ExplainRead(t.Context(), func() {
		w.session.Exec(`insert into event_log (shard, org_id, type, payload, audience)
			select i % 4, 1, 'note', '{}', '{}' from generate_series(1, 20000) i`)
	})
	if err != nil {
		t.Fatal(err)
	}
	explained := []struct {
		Plan plan `json:"Plan"`
	}{}
	if err := json.Unmarshal(text, &explained); err != nil {
		t.Fatal(err)
	}
	explained[0].Plan.walk(func(p plan) {
		if p.Relation != "" && (p.Node == "Seq Scan" || p.Rows > 10) {
			t.Errorf("%s of %s: %v rows, %v removed", p.Node, p.Relation, p.Rows, p.Removed)
		}
	})
	if explained[0].Plan.Rows != 10 {
		t.Errorf("%v rows", explained[0].Plan.Rows)
	}
}
