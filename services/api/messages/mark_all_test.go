package messages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func TestMarkAll(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	servicetest.Same(t, "unread before", []int64{r.valve, r.pump, r.valveToo, r.secret, r.note}, unread(r.ann))
	mark := func() {
		got := r.ann.Do(http.MethodPost, "/mark_all_as_read", nil)
		servicetest.Same(t, "answer", `{"result":"success","msg":""}`, strings.TrimSpace(got.OK().Body))
	}
	mark()
	servicetest.Same(t, "unread", []int64{}, unread(r.ann))
	mark() // also when nothing is unread
	later := r.bob.SendStream("hall", "valves", "and again")
	servicetest.Same(t, "unread later", []int64{later}, unread(r.ann))
	all := flagEvent("add", "read")
	all.All = true
	r.checkEvents(t, all, all)
	servicetest.Same(t, "unread for others, who sent by a script", []int64{}, unread(r.bob)) // their own was marked by checkEvents
}

// A client that gets the event of a message, and then the event that everything is read, treats the message as read.
// If the message was too late to be marked, the client gets an event that it is unread.
func TestMarkAllReportsWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	locker := storetest.Connect(t, r.DatabaseURL)
	locker.Exec("begin")
	locker.Exec("select from users where user_id = $1 for no key update", r.ann.ID)
	done := make(chan servicetest.Answer, 1)
	go func() { done <- r.ann.Do(http.MethodPost, "/mark_all_as_read", nil) }()
	r.db.AwaitBlocked(1)
	late := r.bob.SendStream("hall", "valves", "one more")
	locker.Exec("commit")
	(<-done).OK()
	servicetest.Same(t, "unread", []int64{late}, unread(r.ann))
	all := flagEvent("add", "read")
	all.All = true
	r.checkEvents(t, all, flagEvent("remove", "read", late))
}

// Marking thousands of messages as read writes one row and one event.
func TestMarkAllWritesOneRow(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	r.db.Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, $3::bigint as stream_id, 't' || n % 100 as topic
		from generate_series(1, 5000) n`), r.Org.ID, r.bob.ID, r.hall)
	r.db.Exec(`insert into unread_again (org_id, user_id, messages) values ($1, $2, '{[1,2)}')`, r.Org.ID, r.ann.ID)
	before := r.counts()
	r.ann.Do(http.MethodPost, "/mark_all_as_read", nil).OK()
	servicetest.Same(t, "rows", map[string]int64{"event_log": 1, "unread_again": -1}, grown(before, r.counts()))
	servicetest.Same(t, "unread", []int64{}, unread(r.ann))
}

func TestMarkAllWho(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	for _, a := range []servicetest.Account{r.guest, r.Bot("Robot", actor.GenericBot, r.ann)} {
		a.Do(http.MethodPost, "/mark_all_as_read", nil).OK()
	}
	r.Bot("Hook", actor.IncomingWebhook, r.ann).Do(http.MethodPost, "/mark_all_as_read", nil).
		Fails(http.StatusUnauthorized, "UNAUTHORIZED", "This API is not available to incoming webhook bots.")
}
