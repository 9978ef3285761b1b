package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// Whoever subscribes somebody waits for the conversation of the notice before the first write: the events of all
// organizations wait for transactions that have written.
func TestNoticesWaitFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	subscribe := func(name string) {
		w.ann.Do(http.MethodPost, own, params{"subscriptions": named(name), "principals": servicetest.IDs(w.bob)}).OK()
	}
	for _, name := range []string{"first", "second"} {
		w.ann.NewStream(name, nil)
	}
	subscribe("first")
	w.db.Exec("begin")
	w.db.Exec("select pg_advisory_xact_lock(conversation_id) from conversations where $1 = any (members)", w.bob.ID)
	done := make(chan struct{})
	go func() {
		defer close(done)
		subscribe("second")
	}()
	if w.db.AwaitBlocked(1) > 0 {
		t.Error("it has written before it waits")
	}
	w.db.Exec("commit")
	<-done
}

// An announcement is read by whoever made the stream, even if they mark other messages of the topic at the same time. It waits for
// that before the first write.
func TestAnnouncementStaysRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.announceIn(w.hall)
	w.db.Exec("begin")
	w.db.Exec("select from users where user_id = $1 for no key update", w.ann.ID) // as mark_read does before it reads
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.ann.Do(http.MethodPost, own, params{"subscriptions": named("new"), "announce": true}).OK()
	}()
	if w.db.AwaitBlocked(1) > 0 {
		t.Error("it has written before it waits")
	}
	w.db.Exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read) values ($1, $2, $3, 'new streams', '{[1,2)}')
		on conflict (org_id, user_id, stream_id, topic_key) do update set read = excluded.read`, w.Org.ID, w.ann.ID, w.hall)
	w.db.Exec("commit")
	<-done
	servicetest.Same(t, "the announcement is read", []bool{true}, storetest.Values[bool](w.db,
		"select t.read @> m.message_id from topic_marks t join messages m using (org_id, stream_id, topic_key) where t.user_id = $1 and t.topic_key = 'new streams'", w.ann.ID))
}
