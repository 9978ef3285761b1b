package push_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/push"
	"chatserver.dev/services/remote"
	"chatserver.dev/services/servicetest"
)

// A browser gets notifications of messages that its user misses. They are encrypted, and identify the server to the
// push service.
func TestNotify(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	office, home := newBrowser(t, "/office"), newBrowser(t, "/home")
	w.add(w.bob, office)
	w.add(w.bob, home)
	w.add(w.ann, newBrowser(t, "/ann"))
	first := w.private(w.ann, "**first** of *two*", w.bob)
	second := w.private(w.ann, "second", w.bob)
	w.find()
	got := w.posts(4)
	seen := map[string][]int64{}
	for _, p := range got {
		b := map[string]browser{"/office": office, "/home": home}[p.path]
		if b.key == nil {
			t.Fatalf("sent to %s", p.path)
		}
		notice, text := b.open(t, p.body)
		seen[p.path] = append(seen[p.path], int64(notice.Message))
		want := map[int64]string{first: "first of two", second: "second"}[int64(notice.Message)]
		if notice.Event != "message" || notice.Org != "https://chat.example" || notice.User != w.bob.ID || notice.Sender != w.ann.ID ||
			notice.SenderName != "Ann" || notice.Recipient != "private" || notice.Content != want || time.Since(time.Unix(notice.Time, 0)) > time.Minute {
			t.Errorf("%s", text)
		}
		identified(t, p.header.Get("Authorization"), w.service.URL)
		if h := p.header; h.Get("Content-Encoding") != "aes128gcm" || h.Get("TTL") != "86400" || h.Get("Urgency") != "high" {
			t.Errorf("%v", h)
		}
	}
	for path, messages := range seen {
		if !slices.Equal(messages, []int64{first, second}) {
			t.Errorf("%s: messages %v, want %v", path, messages, []int64{first, second})
		}
	}
	w.find()
	w.posts(4) // no more
}

// A browser whose subscription has ended at its push service gets no more notifications.
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answer(func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(map[string]int{"/404": http.StatusNotFound, "/410": http.StatusGone, "/200": http.StatusOK}[r.URL.Path])
	})
	for _, path := range []string{"/404", "/410", "/200"} {
		w.add(w.bob, newBrowser(t, path))
	}
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.start()
	w.posts(3)
	if left := storetest.Values[string](w.sql, "select endpoint from push_devices"); len(left) != 1 || !strings.HasSuffix(left[0], "/200") {
		t.Errorf("%q", left)
	}
	if became := w.outcomes(); len(became) != 3 || !slices.Contains(became, push.Gone) || !slices.Contains(became, push.Sent) {
		t.Errorf("%q", became)
	}
}

// A notification that a push service can't accept now is retried, with growing pauses and for a limited time. A refused
// one isn't.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	testbed.Slow(t)
	w := newWorld(t)
	w.add(w.bob, newBrowser(t, "/bob"))
	codes := []int{500, 503, 429, 502, 408, 500}
	w.answer(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(codes[len(w.all())-1]) })
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.start()
	for i := range codes {
		testbed.Until(w.t, "an attempt is over", func() bool { return len(w.outcomes()) == i+1 })
		if i == len(codes)-1 {
			break
		}
		testbed.Until(w.t, "there is a pause", func() bool {
			pause := storetest.Values[float64](w.sql, "select extract(epoch from due_at - now())::float8 from push_devices")[0]
			least := float64(int(30) << i)
			return pause > least-5 && pause <= least
		})
		w.later()
	}
	testbed.Until(w.t, "it is forgotten", func() bool { return w.waiting() == 0 })
	if became := w.outcomes(); became[4] != push.Delayed || became[5] != push.Failed {
		t.Errorf("%q", became)
	}
	for i, code := range []int{400, 401, 403, 413, 307} {
		w.answer(status(code))
		w.private(w.ann, "hello", w.bob)
		w.find()
		w.posts(len(codes) + 1 + i)
	}
	w.answer(status(http.StatusCreated)) // the browser is still there
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.posts(len(codes) + 6)
	if became := w.outcomes()[6:]; !slices.Equal(became, []string{push.Failed, push.Failed, push.Failed, push.Failed, push.Failed, push.Sent}) {
		t.Errorf("%q", became)
	}
}

// A push service that doesn't answer, or answers without end, doesn't delay other notifications, and its request is
// canceled.
func TestHostileServices(t *testing.T) {
	t.Parallel()
	testbed.Slow(t)
	w := newWorld(t)
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	w.answer(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/slow"):
			select {
			case <-r.Context().Done():
			case <-ended:
			}
		case r.URL.Path == "/endless":
			for r.Context().Err() == nil {
				if _, err := rw.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		case r.URL.Path == "/head":
			rw.Header().Set("X-Large", strings.Repeat("x", 1<<20))
		}
	})
	abroad := w.NewOrg("other")
	eve, mallory := w.Account(abroad, user.Draft{FullName: "Eve", Role: actor.Member}), w.Account(abroad, user.Draft{FullName: "Mallory", Role: actor.Member})
	for i := range 10 {
		w.add(mallory, newBrowser(t, fmt.Sprint("/slow/", i)))
	}
	w.private(eve, "hello", mallory)
	w.find()
	w.timeout = time.Hour
	w.start()
	testbed.Until(w.t, "the slow ones are asked", func() bool { return len(w.all()) == 8 })
	for _, path := range []string{"/endless", "/head", "/bob"} {
		w.add(w.bob, newBrowser(t, path))
	}
	w.private(w.ann, "hello", w.bob)
	w.find()
	testbed.Until(w.t, "Bob's are over", func() bool { return len(w.outcomes()) == 3 })
	became := w.outcomes()
	slices.Sort(became)
	if !slices.Equal(became, []string{push.Delayed, push.Sent, push.Sent}) {
		t.Errorf("%q", became)
	}
	w.stop()
	w.sql.Exec("delete from push_devices where endpoint not like '%/slow/0'")
	w.later()
	w.timeout = 0
	w.start()
	testbed.Until(w.t, "a slow one is given up", func() bool { return len(w.outcomes()) == 4 })
	if last := w.outcomes()[3]; last != push.Delayed {
		t.Errorf("%q", last)
	}
}

// The server connects only to public addresses and to those that the operator allows, whatever address a user names,
// and follows no redirects.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.permit = remote.Public()
	inside := newBrowser(t, "/inside")
	w.add(w.bob, inside)
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.start()
	testbed.Until(w.t, "it is over", func() bool { return w.waiting() == 0 })
	if got, became := w.all(), w.outcomes(); len(got) != 0 || !slices.Equal(became, []string{push.Failed}) {
		t.Errorf("%d requests, %q", len(got), became)
	}
	w.stop()
	w.permit = remote.Public(netip.MustParsePrefix("127.0.0.0/8"))
	asked := false
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	w.answer(func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, secret.URL, http.StatusTemporaryRedirect)
	})
	w.start()
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.posts(1)
	if secret.Close(); asked {
		t.Error("a redirect was followed")
	}
}

// Several processes notify of each message once. If one dies, the others take over its notifications.
func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	testbed.Slow(t)
	w := newWorld(t)
	for i := range 5 {
		w.add(w.bob, newBrowser(t, fmt.Sprint("/bob/", i)))
	}
	block, blocked := make(chan struct{}), make(chan struct{}, 10)
	w.answer(func(_ http.ResponseWriter, r *http.Request) {
		blocked <- struct{}{}
		select {
		case <-block:
		case <-r.Context().Done():
		}
	})
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.start()
	for range 5 {
		<-blocked
	}
	w.stop()
	w.answer(status(http.StatusCreated))
	close(block)
	for range 3 {
		w.start()
	}
	time.Sleep(3 * time.Second)
	if waiting, got := w.waiting(), len(w.all()); waiting != 5 || got != 5 {
		t.Errorf("during the lease of another: %d requests, %d wait", got, waiting)
	}
	w.later()
	w.posts(10)
	for range 3 {
		w.private(w.ann, "hello", w.bob)
	}
	w.find()
	w.posts(25)
	time.Sleep(3 * time.Second)
	w.posts(25)
}

// A browser gets no notifications after the session that added it has ended, in whatever way.
func TestSignedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const password = "correct horse battery"
	w.bob.Do(http.MethodPatch, "/settings", params{"new_password": password}).OK()
	signIn := func() servicetest.Account {
		reply := struct {
			Key string `json:"api_key"`
		}{}
		w.bob.Do(http.MethodPost, "/fetch_api_key", params{"username": w.bob.RealEmail, "password": password}).OK().Decode(&reply)
		signedIn := w.bob
		signedIn.Key = reply.Key
		return signedIn
	}
	paths := func() string {
		return strings.Join(storetest.Values[string](w.sql, "select substring(endpoint from '[a-z]+$') from push_devices order by 1"), " ")
	}
	ended, over, stays := signIn(), signIn(), signIn()
	for path, by := range map[string]servicetest.Account{"/ended": ended, "/over": over, "/stays": stays, "/key": w.bob} {
		w.add(by, newBrowser(t, path))
	}
	logins := storetest.Values[int64](w.sql, "select login_id from logins order by 1")
	w.bob.Do(http.MethodDelete, fmt.Sprint("/sessions/", logins[0]), nil).OK()
	if got := paths(); got != "key over stays" {
		t.Errorf("%q", got)
	}
	w.sql.Exec("update logins set ends_at = now() where login_id = $1", logins[1])
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.start()
	for _, p := range w.posts(2) {
		if p.path == "/over" {
			t.Error("sent to a browser whose session is over")
		}
	}
	if got := paths(); got != "key stays" {
		t.Errorf("%q", got)
	}
	w.bob.Do(http.MethodPatch, "/settings", params{"old_password": password, "new_password": "another horse battery"}).OK()
	if got := paths(); got != "key" {
		t.Errorf("%q", got)
	}
	w.bob.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK()
	if got := paths(); got != "" {
		t.Errorf("%q", got)
	}
}

// The number of messages that wait for a browser is limited, and those of a large organization don't delay others.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(w.bob, newBrowser(t, "/bob"))
	w.private(w.ann, "hello", w.bob)
	w.sql.Exec(`with sent as (` + storetest.InsertMessages("select c.org_id, 0 + u.user_id as sender_id, c.conversation_id, '<p>'||i||'</p>' as rendered"+
		" from conversations c, users u, generate_series(1, 1000) i where u.full_name = 'Ann' and c.org_id = u.org_id") + ` returning org_id, message_id)
		insert into event_log (shard, org_id, type, payload, audience)
		select org_id % (select shards from installation), org_id, 'message', '{"type":"message","message":{"id":' || message_id || ',"timestamp":0}}', '{}' from sent order by message_id`)
	w.find()
	if waiting := w.waiting(); waiting > 100 {
		t.Errorf("%d wait", waiting)
	}
	w.sql.Exec(`insert into users (org_id, email, full_name) select $1, 'u' || i || '@chat.example', 'User ' || i from generate_series(1, 300) i`, int64(w.Org.ID))
	w.sql.Exec(`insert into push_devices (org_id, user_id, endpoint, p256dh, auth, client, messages, due_at)
		select org_id, user_id, user_id::text, '', '', '', '{1}', now() - interval '1 hour' from users where org_id = $1`, int64(w.Org.ID))
	abroad := w.NewOrg("other")
	w.add(w.Account(abroad, user.Draft{FullName: "Eve", Role: actor.Member}), newBrowser(t, "/eve"))
	w.sql.Exec("update push_devices set messages = '{1}', due_at = now() where org_id = $1", int64(abroad.ID))
	due, err := w.Pushes.Due(t.Context(), 50, 200)
	if err != nil || len(due) != 51 {
		t.Errorf("%d, %v", len(due), err)
	}
	few, err := w.Pushes.Due(t.Context(), 50, 2)
	if err != nil || len(few) != 2 || few[0].Org != w.Org.ID || few[1].Org != abroad.ID {
		t.Errorf("%v, %v", few, err)
	}
}
