package missed_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/storetest"
)

// device has an account notified by a browser.
func (w *world) device(of ...int64) {
	w.T.Helper()
	for _, user := range of {
		w.sql.Exec("insert into push_devices (org_id, user_id, endpoint, p256dh, auth, client) values ($1, $2, $3, '', '', '')",
			int64(w.Org.ID), user, path("https://push.example", user))
	}
}

// notices are what Bob's browser is notified of.
func (w *world) notices(by *missed.Service) []missed.Notice {
	w.T.Helper()
	w.find()
	noted := storetest.Values[[]int64](w.sql, "select messages from push_devices where user_id = $1", w.bob.ID)
	w.sql.Exec("update push_devices set messages = '{}', due_at = null")
	return w.shown(by, noted[0])
}

// shown are those of some messages that Bob's browser is notified of.
func (w *world) shown(by *missed.Service, noted []int64) []missed.Notice {
	w.T.Helper()
	shown, left := []missed.Notice{}, id.Convert[id.Message](noted)
	for {
		notice, done, err := by.Notice(w.T.Context(), w.Org.ID, w.bob.ID, left)
		w.must(err)
		if notice == nil {
			same(w.T, "done", left, done)
			return shown
		}
		shown, left = append(shown, *notice), left[len(done):]
	}
}

// contents are what notifications say.
func contents(of []missed.Notice) []string {
	all := []string{}
	for _, one := range of {
		all = append(all, one.Content)
	}
	return all
}

// Each setting decides what it is for, and that of a subscription before that of the account. Being there changes which one counts.
func TestNoticeSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.device(int64(w.bob.ID))
	a := w.acts()
	report := func(status string) func() {
		return func() {
			w.bob.Do(http.MethodPost, "/users/me/presence", params{"status": status, "client": "website"}).OK()
		}
	}
	for _, test := range []struct {
		what    string
		set     func()
		send    func()
		notices int
	}{
		{"private", nil, a.private, 1},
		{"mentioned", nil, a.mention, 1},
		{"all mentioned", nil, a.toAll, 1},
		{"a message of a stream", nil, a.plain, 0},
		{"not of wildcards", a.account("wildcard_mentions_notify", false), a.toAll, 0},
		{"of wildcards here", a.own("wildcard_mentions_notify", true), a.toAll, 1},
		{"of this stream", a.own("push_notifications", true), a.plain, 1},
		{"of this stream, muted", a.own("is_muted", true), a.plain, 0},
		{"all mentioned in a muted stream", nil, a.toAll, 0},
		{"mentioned in a muted stream", nil, a.mention, 1},
		{"no longer muted", a.own("is_muted", false), a.plain, 1},
		{"a muted topic", a.muteTopic("add"), a.plain, 0},
		{"mentioned in a muted topic", nil, a.mention, 1},
		{"a topic no longer muted", a.muteTopic("remove"), a.plain, 1},
		{"of all streams but this", a.own("push_notifications", false), a.plain, 0},
		{"of all streams", a.account("enable_stream_push_notifications", true), a.plain, 0},
		{"of all streams, as the account says", func() { w.sql.Exec("update subscriptions set push_notifications = null") }, a.plain, 1},
		{"not while away", a.account("enable_offline_push_notifications", false), a.private, 0},
		{"not while away, of streams", nil, a.plain, 0},
		{"there", report("active"), a.private, 1},
		{"there, of streams", nil, a.plain, 1},
		{"not while there", a.account("enable_online_push_notifications", false), a.private, 0},
		{"while away", a.account("enable_offline_push_notifications", true), a.private, 0},
		{"away", func() { w.must(w.Presence.Forget(t.Context(), w.Org.ID)) }, a.private, 1},
	} {
		if test.set != nil {
			test.set()
		}
		test.send()
		if got := w.notices(w.Missed); len(got) != test.notices {
			t.Errorf("%s: %d notifications, want %d", test.what, len(got), test.notices)
		}
	}
}

// What counts is what is there when a notification is sent.
func TestNoticesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.device(int64(w.bob.ID), int64(w.ann.ID))
	read, gone := w.private(w.ann, "read", w.bob), w.private(w.ann, "gone", w.bob)
	edited, old := w.private(w.ann, "old words", w.bob), w.private(w.ann, "yesterday's", w.bob)
	unmentioned := w.ann.SendStream("hall", "topic", "@**Bob** hello")
	left := w.ann.SendStream("hall", "topic", "@**Bob** hello again")
	last := w.private(w.ann, "the last", w.bob)
	w.find()
	noted := storetest.Values[[]int64](w.sql, "select messages from push_devices where user_id = $1", w.bob.ID)[0]
	same(t, "noted", []int64{read, gone, edited, old, unmentioned, left, last}, noted)
	if own := storetest.Values[[]int64](w.sql, "select messages from push_devices where user_id = $1", w.ann.ID)[0]; len(own) > 0 {
		t.Errorf("of one's own messages: %v", own)
	}
	w.read(w.bob, read)
	w.sql.Exec("delete from messages where message_id = $1", gone) // as an administrator of a private conversation would
	w.ann.Do(http.MethodPatch, path("/messages", edited), params{"content": "new words"}).OK()
	w.sql.Exec("update messages set sent_at = sent_at - interval '1 day' where message_id = $1", old)
	w.ann.Do(http.MethodPatch, path("/messages", unmentioned), params{"content": "hello all"}).OK()
	same(t, "as it is now", []string{"new words", "@Bob hello again", "the last"}, contents(w.shown(w.Missed, noted)))
	w.bob.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{"hall"}}).OK()
	same(t, "after the stream was left", []string{"new words", "the last"}, contents(w.shown(w.Missed, noted)))
	w.sql.Exec("update users set active = false where user_id = $1", w.bob.ID)
	same(t, "of a deactivated account", 0, len(w.shown(w.Missed, noted)))
	w.sql.Exec("update users set active = true where user_id = $1", w.bob.ID)
	w.sql.Exec("update organizations set deactivated = true")
	same(t, "in a deactivated organization", 0, len(w.shown(w.Missed, noted)))
}

// A notification has what the reader and the configuration want it to have, nothing of a spoiler, and few enough bytes.
func TestNoticeContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.device(int64(w.bob.ID))
	w.private(w.ann, "hello :wave:\n```spoiler the end\nthe butler\n```", w.bob)
	if text := w.notices(w.Missed)[0].Content; strings.Contains(text, "butler") || !strings.Contains(text, "hello 👋") || !strings.Contains(text, "the end") {
		t.Errorf("%q", text)
	}
	deps := w.Missed.Deps
	deps.PushContent = false
	without := missed.New(deps)
	w.ann.SendStream("hall", "topic", "@**Bob** secret")
	bare := w.notices(without)[0]
	if text, _ := json.Marshal(bare); bare.Message == 0 || bare.Org == "" || strings.Contains(string(text), "secret") || strings.Contains(string(text), "Ann") || strings.Contains(string(text), "hall") {
		t.Errorf("%s", text)
	}
	w.notifications(w.bob, params{"pm_content_in_desktop_notifications": false})
	w.private(w.ann, "secret", w.bob)
	if got := w.notices(w.Missed)[0]; got.Content != "" || got.SenderName != "Ann" {
		t.Errorf("%+v", got)
	}
	w.sql.Exec("update users set full_name = repeat('<', 100) where user_id = $1", w.ann.ID)
	w.sql.Exec("update streams set name = repeat('&', 60)")
	w.ann.SendStream("hall", strings.Repeat(">", 60), "@**Bob** "+strings.Repeat("<", 5000))
	largest := w.notices(w.Missed)[0]
	text, err := json.Marshal(largest)
	if err != nil || len(text) > 3993 || len([]rune(largest.Content)) != 300 || !strings.HasSuffix(largest.Content, "…") {
		t.Errorf("%d bytes: %s, %v", len(text), text, err)
	}
}

// Bots have no browsers, and who has none is noted nothing.
func TestNoticesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	robot := w.Bot("Robot", actor.GenericBot, w.ann)
	w.device(int64(robot.ID))
	w.private(w.ann, "hello", w.bob, robot)
	w.find()
	if noted := storetest.Values[[]int64](w.sql, "select messages from push_devices")[0]; len(noted) > 0 {
		t.Errorf("%v", noted)
	}
}

// Notifications of new messages don't wait until mail about others has been queued.
func TestNoticesBesideMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eve := w.Person("Eve", actor.Member)
	w.device(int64(w.bob.ID))
	w.notifications(w.bob, params{"enable_offline_email_notifications": false})
	w.private(w.ann, "hello", eve)
	w.find()
	w.sql.Exec("update missed_mails set due_at = now() - interval '1 minute'")
	mails := storetest.Connect(t, w.DatabaseURL)
	mails.Exec("begin")
	mails.Exec("lock table missed_mails in share row exclusive mode")
	ctx, cancel := context.WithCancel(t.Context())
	running := sync.WaitGroup{}
	running.Go(func() {
		if err := w.Missed.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer running.Wait()
	defer cancel()
	within := func(limit time.Duration, what, query string) {
		t.Helper()
		for deadline := time.Now().Add(limit); !storetest.Values[bool](w.sql, query)[0]; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Error(what)
				return
			}
		}
	}
	within(30*time.Second, "no mail is queued", "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')")
	w.private(w.ann, "hello", w.bob)
	within(5*time.Second, "no notification is due", "select bool_or(due_at is not null) from push_devices")
	mails.Exec("rollback")
}
