package messages_test

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// large adds messages whose HTML has the given number of bytes to a stream, and returns their ids.
func (w *world) large(by servicetest.Account, stream int64, count, bytes int) []int64 {
	w.T.Helper()
	w.db.Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, $3::bigint as stream_id, 'load' as topic, 'see' as content,
		repeat('&amp;', $4::int / 5) as rendered from generate_series(1, $5::int)`), by.Org.ID, by.ID, stream, bytes, count)
	all := []int64{}
	for anchor := "oldest"; ; {
		page := fetch(by, params{"anchor": anchor, "num_before": 0, "num_after": 1000, "apply_markdown": false})
		all = append(all, numbers(page.Messages)...)
		if page.FoundNewest {
			return all
		}
		anchor = text(all[len(all)-1] + 1)
	}
}

// A page is limited in bytes, reports that it is incomplete, and has no gap: a client that requests the rest gets
// every message once.
func TestFetchEndsAtBytes(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	all := w.large(ann, w.stream(ann, "hall", nil), 230, 45_000)
	narrow := `[{"operator":"stream","operand":"hall"}]`
	for _, c := range []struct {
		from          string
		before, after int
		narrow        string
	}{
		{"newest", 1000, 0, "[]"},
		{"oldest", 0, 1000, narrow},
		{text(all[110]), 500, 500, "[]"},
		{text(all[7]), 500, 500, narrow},
	} {
		first := fetch(ann, with(params{"anchor": c.from, "num_before": c.before, "num_after": c.after}, "narrow", c.narrow))
		seen, pages := numbers(first.Messages), 1
		if len(seen) == 0 || len(seen) > 200 {
			t.Fatalf("from %s: %d messages in a page", c.from, len(seen))
		}
		for oldest := first.FoundOldest || c.before == 0; !oldest; pages++ {
			page := fetch(ann, with(params{"anchor": text(seen[0]), "num_before": 1000, "num_after": 0}, "narrow", c.narrow))
			older := numbers(page.Messages)
			if seen = slices.Concat(older[:len(older)-1], seen); older[len(older)-1] != seen[len(older)-1] {
				t.Fatalf("from %s: a gap at %d", c.from, seen[0])
			}
			oldest = page.FoundOldest
		}
		for newest := first.FoundNewest || c.after == 0; !newest; pages++ {
			page := fetch(ann, with(params{"anchor": text(seen[len(seen)-1]), "num_before": 0, "num_after": 1000}, "narrow", c.narrow))
			newer := numbers(page.Messages)
			if newer[0] != seen[len(seen)-1] {
				t.Fatalf("from %s: a gap at %d", c.from, newer[0])
			}
			seen, newest = append(seen, newer[1:]...), page.FoundNewest
		}
		if !slices.Equal(seen, all) || pages < 2 || pages > 4 {
			t.Errorf("from %s: %d messages in %d pages, want %d", c.from, len(seen), pages, len(all))
		}
	}
}

// A page that is read again, since it is large, begins where it began: the first unread message isn't looked for twice.
func TestLargePageAtFirstUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	all := w.large(ann, w.stream(ann, "hall", nil), 30, 45_000)
	all = all[len(all)-30:]                                         // before them is the notice about the stream, which its creator has read
	const lock = "lock table muted_topics in access exclusive mode" // only the first unread message depends on them
	other, watch := storetest.Connect(t, w.DatabaseURL), storetest.Connect(t, w.DatabaseURL)
	w.db.Exec("begin")
	w.db.Exec(lock)
	pages, locked := make(chan fetched, 1), make(chan struct{})
	go func() {
		pages <- fetch(ann, params{"anchor": "first_unread", "num_before": 0, "num_after": 100, "apply_markdown": true})
	}()
	watch.AwaitBlocked(1)
	go func() { // this gets the lock when the first transaction of the request ends
		defer close(locked)
		other.Exec("begin")
		other.Exec(lock)
	}()
	watch.AwaitBlocked(2)
	w.db.Exec("rollback")
	page := <-pages
	<-locked
	other.Exec("rollback")
	if page.Anchor != all[0] || !slices.Equal(numbers(page.Messages), all) {
		t.Errorf("the anchor is %d, with %d messages; want %d, with %d", page.Anchor, len(page.Messages), all[0], len(all))
	}
}

// Data of a message count, too: its edits, its reactions, and the highlights of a search.
func TestFetchCountsAll(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	all := w.large(ann, w.stream(ann, "hall", nil), 40, 100)
	w.db.Exec(`update messages set edited_at = now(), edits = jsonb_build_array(jsonb_build_object('user_id', $1::bigint, 'timestamp', 1, 'prev_content', repeat('x', 1 << 20)))
		where message_id = any ($2::bigint[])`, ann.ID, all)
	for _, narrowed := range []string{`[]`, `[{"operator":"search","operand":"see"}]`} {
		answer := ann.Do(http.MethodGet, "/messages", with(params{"anchor": "newest", "num_before": 40, "num_after": 0}, "narrow", narrowed)).OK()
		got := fetched{}
		answer.Decode(&got)
		if len(got.Messages) < 7 || len(got.Messages) > 9 || got.FoundOldest {
			t.Errorf("%s: %d messages", narrowed, len(got.Messages))
		}
	}
}

// A list of matches can't be shortened, because the omitted messages would count as not matching.
func TestMatchesTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	all := w.large(ann, w.stream(ann, "hall", nil), 200, 45_000)
	ask := func(ids []int64) servicetest.Answer {
		return ann.Do(http.MethodGet, "/messages/matches_narrow", params{"msg_ids": ids, "narrow": `[{"operator":"stream","operand":"hall"}]`})
	}
	ask(all).Fails(http.StatusBadRequest, "BAD_REQUEST", "The messages that match are too large for one answer (8 MiB): ask about fewer messages at a time.")
	ask(all[:100]).OK()
}

// waitingForMessages returns the number of transactions that wait for the lock of the table. Other databases have the same numbers of tables.
const waitingForMessages = `select count(*) from pg_locks where relation = 'messages'::regclass and not granted
	and database = (select oid from pg_database where datname = current_database())`

// However many large pages and searches an account requests at a time, there are connections to the database for others.
func TestFetchLeavesConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ids := []int64{}
	for i := range int64(300) {
		ids = append(ids, i+1)
	}
	requests := []func() servicetest.Answer{
		func() servicetest.Answer {
			return ann.Do(http.MethodGet, "/messages", params{"anchor": "newest", "num_before": 150, "num_after": 150})
		},
		func() servicetest.Answer {
			return ann.Do(http.MethodGet, "/messages/matches_narrow", params{"msg_ids": ids, "narrow": `[{"operator":"is","operand":"private"}]`})
		},
		func() servicetest.Answer {
			return ann.Do(http.MethodGet, "/messages/matches_narrow", params{"msg_ids": ids[:1], "narrow": `[["search","valve"]]`})
		},
	}
	w.db.Exec("begin")
	w.db.Exec("lock table messages in access exclusive mode") // readers wait
	waiting := sync.WaitGroup{}
	for i := range 40 {
		waiting.Go(func() { requests[i%len(requests)]() })
	}
	other := storetest.Connect(t, w.DatabaseURL)
	other.AwaitBlocked(1)
	time.Sleep(100 * time.Millisecond) // all of them, if they could
	if limit, got := int64(max(1, runtime.GOMAXPROCS(0)/2)), storetest.Values[int64](other, waitingForMessages)[0]; got > limit {
		t.Errorf("%d connections wait for messages, want at most %d", got, limit)
	}
	bob.Do(http.MethodGet, "/users/me/alert_words", nil).OK()
	w.db.Exec("rollback")
	waiting.Wait()
}

func text(n int64) string { return strconv.FormatInt(n, 10) }
