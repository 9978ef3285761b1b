package feed_test

import (
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// fetching begins to fetch a page around the first unread message, and returns where it arrives.
func fetching(t *testing.T, service *feed.Service, who actor.Actor) <-chan feed.Page {
	t.Helper()
	pages := make(chan feed.Page, 1)
	go func() {
		page, err := service.Fetch(t.Context(), who, feed.Request{Anchor: feed.FirstUnread, After: 3, Bytes: feed.SmallPage})
		if err != nil {
			t.Error(err)
		}
		pages <- page
	}()
	return pages
}

// A request for the first unread message has its answer although the connection breaks while that is looked for.
func TestFirstUnreadAfterBrokenConnection(t *testing.T) {
	t.Parallel()
	service, who, session := newHall(t)
	service.SetTimes(time.Minute, time.Minute)
	session.Exec("begin")
	session.Exec("lock table subscriptions")
	pages := fetching(t, service, who)
	const waiting = "from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
	session.AwaitBlocked(1)
	session.Exec("select pg_terminate_backend(pid, 5000) " + waiting)
	session.Exec("rollback")
	if page := <-pages; page.Anchor != 1 || len(page.Messages) != 4 || page.Messages[0].ID != id.Message(1) {
		t.Errorf("the anchor is %d, with %d messages", page.Anchor, len(page.Messages))
	}
}

// The short limit is for finding the first unread message: a page around it may take as long as another.
func TestSlowPageAtFirstUnread(t *testing.T) {
	t.Parallel()
	service, who, session := newHall(t)
	service.SetTimes(time.Minute, 2*time.Second)
	session.Exec("begin")
	session.Exec("lock table reactions")
	pages := fetching(t, service, who)
	attempts := map[string]bool{} // by their time
	for deadline := time.Now().Add(time.Minute); len(attempts) < 2 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for _, at := range storetest.Values[string](session, "select query_start::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") {
			attempts[at] = true
		}
		session.Exec("select pg_stat_clear_snapshot()")
	}
	session.Exec("rollback")
	if page := <-pages; page.Anchor != 1 || len(page.Messages) != 4 {
		t.Errorf("the anchor is %d, with %d messages", page.Anchor, len(page.Messages))
	}
}

// A search that takes the database too long ends with advice. Without the first unread message, which may take long to find,
// a page begins at the end.
func TestSlowSearches(t *testing.T) {
	t.Parallel()
	service, who, session := newHall(t)
	session.Exec("begin")
	session.Exec("lock table muted_topics") // only the first unread message depends on them
	service.SetTimes(time.Minute, time.Millisecond)
	page, err := service.Fetch(t.Context(), who, feed.Request{Anchor: feed.FirstUnread, Before: 3, Bytes: feed.SmallPage})
	if err != nil || page.Anchor != feed.Newest || len(page.Messages) != 3 {
		t.Errorf("the first unread message: anchor %d, %d messages, %v", page.Anchor, len(page.Messages), err)
	}
	session.Exec("lock table messages")
	service.SetTimes(time.Millisecond, time.Minute)
	for _, c := range []struct {
		narrow narrow.Narrow
		want   error
	}{
		{nil, store.ErrSlow},
		{narrow.Narrow{{Kind: narrow.Search, Text: "valve"}}, feed.ErrTooSlow},
		{narrow.Narrow{{Kind: narrow.HasLink}}, feed.ErrTooSlow},
		{narrow.Narrow{{Kind: narrow.Private, Negated: true}}, feed.ErrTooSlow},
	} {
		if _, err := service.Fetch(t.Context(), who, feed.Request{Anchor: feed.Newest, Before: 3, Narrow: c.narrow, Bytes: feed.SmallPage}); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.narrow, err, c.want)
		}
	}
	if _, err := service.Matches(t.Context(), who, []id.Message{1}, narrow.Narrow{{Kind: narrow.Search, Text: "valve"}}, feed.SmallPage); !errors.Is(err, feed.ErrTooSlow) {
		t.Errorf("matches: %v", err)
	}
	session.Exec("rollback")
	if feed.FirstMemory(10, nil) != 0 {
		t.Error("every page takes a turn")
	}
	for _, term := range []narrow.Term{{Kind: narrow.Sender, Text: "a@b.example"}, {Kind: narrow.Home}, {Kind: narrow.Stream, Text: "hall", Negated: true}} {
		if feed.FirstMemory(10, narrow.Narrow{term}) == 0 {
			t.Errorf("%v takes no turn", term)
		}
	}
}
