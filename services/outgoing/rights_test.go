package outgoing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A bot whose rights end while the call waits isn't called.
func TestRightsEndBeforeCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{"content": "I am here"}`))
	bot := w.bot(1)
	w.stop()
	for i, statement := range []string{
		fmt.Sprintf("update subscriptions set active = false where user_id = %d", w.ann.ID),
		fmt.Sprintf("update users set active = false where user_id = %d", bot),
		"update organizations set deactivated = true",
		"update webhook_calls set created_at = now() - interval '61 minutes'",
		"delete from bot_services",
	} {
		name := fmt.Sprintf("den %d", i)
		w.ann.NewStream(name, params{"invite_only": true, "principals": servicetest.IDs(w.ann, w.bob)})
		w.bob.SendStream(name, "calls", "Hello @**Echo**")
		if w.left() != 1 {
			t.Fatalf("before %q there is no call", statement)
		}
		w.sql.Exec(statement)
		w.start()
		w.done()
		w.stop()
		if made := w.made(); len(made) > 0 {
			t.Errorf("after %q: %v", statement, made)
		}
		w.sql.Exec("update users set active = true")
		w.sql.Exec("update organizations set deactivated = false")
	}
}

// A bot whose rights end while it is called says nothing, and its call ends.
func TestRightsEndDuringCall(t *testing.T) {
	t.Parallel()
	then, during := make(chan string, 1), (*storetest.Session)(nil)
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		during.Exec(<-then) //nolint:contextcheck // the test has its own connection
		answers(`{"content": "I am here"}`)(rw, r)
	})
	during = storetest.Connect(t, w.DatabaseURL)
	bot := w.bot(1)
	for what, statement := range map[string]string{
		"deactivated":                     fmt.Sprintf("update users set active = false where user_id = %d", bot),
		"its owner was removed":           fmt.Sprintf("update subscriptions set active = false where user_id = %d", w.ann.ID),
		"the stream was archived":         "update streams set deactivated = true",
		"nothing":                         "select 1",
		"the message that called it went": "delete from messages where sender_id = " + fmt.Sprint(w.bob.ID),
	} {
		w.sql.Exec("update users set active = true")
		w.sql.Exec("delete from messages where sender_id = $1", bot)
		name := strings.ReplaceAll(what, " ", "-")
		w.ann.NewStream(name, params{"invite_only": true, "principals": servicetest.IDs(w.ann, w.bob)})
		then <- statement
		w.bob.SendStream(name, "calls", "Hello @**Echo**")
		silent := what == "deactivated" || what == "its owner was removed" || what == "the stream was archived"
		if said := w.said(bot, 0); (len(said) == 0) != silent {
			t.Errorf("%s: it said %q", what, said)
		}
	}
}
