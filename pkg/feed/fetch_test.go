package feed_test

import (
	"testing"
	"time"

	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
)

// A request for the first unread message has its answer although the connection breaks while that is looked for.
func TestFirstUnreadAfterBrokenConnection(t *testing.T) {
	t.Parallel()
	service, who, session := newHall(t)
	session.Exec("begin")
	session.Exec("lock table subscriptions")
	pages := make(chan feed.Page, 1)
	go func() {
		page, err := service.Fetch(t.Context(), who, feed.Request{Anchor: feed.FirstUnread, After: 3, Bytes: feed.SmallPage})
		if err != nil {
			t.Error(err)
		}
		pages <- page
	}()
	const waiting = "from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
	for storetest.Values[int64](session, "select count(*) "+waiting)[0] == 0 {
		time.Sleep(10 * time.Millisecond)
		session.Exec("select pg_stat_clear_snapshot()")
	}
	session.Exec("select pg_terminate_backend(pid, 5000) " + waiting)
	session.Exec("rollback")
	if page := <-pages; page.Anchor != 1 || len(page.Messages) != 4 || page.Messages[0].ID != id.Message(1) {
		t.Errorf("the anchor is %d, with %d messages", page.Anchor, len(page.Messages))
	}
}
