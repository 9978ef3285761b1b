package missed_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/storetest"
)

// digests are what is sent on this day.
func (w *world) digests() []mail.Letter {
	w.T.Helper()
	if err := w.Missed.Digest(w.T.Context()); err != nil {
		w.T.Fatal(err)
	}
	return w.Letters()
}

// Who wasn't there for days learns once a week what people talked about, where the organization and they want that.
func TestDigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, guest := w.Person("Owner", actor.Owner), w.Person("Guest", actor.Guest)
	today := int(time.Now().UTC().Weekday()+6) % 7
	wants := func(on bool, weekday int) {
		owner.Do(http.MethodPatch, "/realm", params{"digest_emails_enabled": on, "digest_weekday": weekday}).OK()
	}
	sent := func(what string, letters ...string) []mail.Letter {
		t.Helper()
		got, to := w.digests(), []string{}
		for _, l := range got {
			to = append(to, l.To)
		}
		same(t, what, letters, to)
		w.sql.Exec("delete from digests")
		return got
	}
	again := func() { w.sql.Exec("delete from digests") }
	w.ann.Subscribe("news", "vault")
	owner.Do(http.MethodPatch, path("/streams", w.stream("vault")), params{"is_private": true}).OK()
	w.sql.Exec("update users set joined_at = joined_at - interval '6 days'")
	for i := range 5 {
		w.ann.SendStream("hall", "quiet", fmt.Sprint("words ", i))
	}
	w.ann.SendStream("hall", "lively", "one")
	owner.Subscribe("hall")
	owner.SendStream("hall", "lively", "two <b>")
	w.ann.SendStream("vault", "secret", "three")
	w.ann.SendStream("hall", "dull", "four")
	w.bob.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", params{"stream": "hall", "topic": "dull", "op": "add"}).OK()

	wants(false, today)
	sent("not wanted by the organization")
	wants(true, (today+1)%7)
	sent("on another day")
	wants(true, today)
	l := sent("today", w.bob.RealEmail)[0]
	if len(l.Quotes) != 2 || l.Quotes[0].Title != "#hall > lively (2 messages)" || l.Quotes[1].Title != "#hall > quiet (5 messages)" || l.Quotes[0].Messages[0].Old {
		t.Errorf("%+v", l.Quotes)
	}
	same(t, "texts", []string{"one", "two <b>", "words 2", "words 3", "words 4"}, said(l))
	same(t, "streams", []string{"New stream: #news"}, l.After)
	if strings.Contains(fmt.Sprint(l), "vault") {
		t.Error("a private stream is in it")
	}
	if l := w.digests(); len(l) != 1 {
		t.Errorf("%+v", l)
	}
	if l := w.digests(); len(l) > 0 {
		t.Errorf("a second time: %+v", l)
	}
	again()
	w.notifications(w.bob, params{"message_content_in_email_notifications": false})
	sent("content isn't wanted")
	w.notifications(w.bob, params{"message_content_in_email_notifications": true})
	guest.Do(http.MethodPost, "/users/me/presence", params{"status": "active", "client": "website"}).OK()
	w.bob.Do(http.MethodPost, "/users/me/presence", params{"status": "active", "client": "website"}).OK()
	sent("somebody who was there")
	w.must(w.Presence.Forget(t.Context(), w.Org.ID))
	if status, body := w.page(http.MethodPost, l.Unsubscribe, oneClick); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	sent("not wanted by the reader")
	if on := storetest.Values[bool](w.sql, "select settings @> '{\"enable_digest_emails\": false}' from users where user_id = $1", w.bob.ID); !on[0] {
		t.Error("the link ended something else")
	}
}

// Where more was said in a stream than is counted, no number is said, in any language.
func TestDigestOfBusyStream(t *testing.T) {
	t.Parallel()
	for language, calm := range map[string]string{"en": "#attic > calm (2 messages)", "de": "#attic > calm (2 Nachrichten)"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.bob.Do(http.MethodPatch, "/settings/display", params{"default_language": `"` + language + `"`}).OK()
			w.ann.Subscribe("attic")
			w.bob.Subscribe("attic")
			w.sql.Exec("update organizations set settings = jsonb_build_object('digest_emails_enabled', true, 'digest_weekday', $1::int)", int(time.Now().UTC().Weekday()+6)%7)
			w.sql.Exec("update users set joined_at = joined_at - interval '6 days'")
			w.sent("select s.org_id, 0 + u.user_id as sender_id, s.stream_id, 'busy' as topic, 'busy' as topic_key from streams s, users u, generate_series(1, 150) i" +
				" where u.full_name = 'Ann' and s.name = 'hall'")
			w.ann.SendStream("hall", "late", "words")
			w.ann.SendStream("attic", "calm", "one")
			w.ann.SendStream("attic", "calm", "two")
			titles := []string{}
			for _, l := range w.digests() {
				if l.To == w.bob.RealEmail {
					for _, q := range l.Quotes {
						titles = append(titles, q.Title)
					}
				}
			}
			same(t, "titles", []string{"#hall > busy", calm, "#hall > late"}, titles)
		})
	}
}

// The accounts of a large organization are looked at in portions, each once.
func TestDigestOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec("update organizations set settings = jsonb_build_object('digest_emails_enabled', true, 'digest_weekday', $1::int)", int(time.Now().UTC().Weekday()+6)%7)
	w.ann.SendStream("hall", "topic", "words")
	w.sql.Exec(`insert into users (org_id, email, full_name, joined_at) select $1, 'u' || i || '@chat.example', 'User ' || i, now() - interval '6 days' from generate_series(1, 250) i`, int64(w.Org.ID))
	w.sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) select u.org_id, s.stream_id, u.user_id, '#000000', '{[0,)}' from users u, streams s
		where u.full_name like 'User %' and s.name = 'hall'`)
	to := map[string]bool{}
	for _, l := range w.digests() {
		to[l.To] = true
	}
	if len(to) != 250 || len(w.digests()) > 0 {
		t.Errorf("%d people got it", len(to))
	}
}

// If the digests of an organization fail, the others get theirs.
func TestDigestOfFailingOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ann.SendStream("hall", "lunch", "words")
	w.sql.Exec("update users set joined_at = joined_at - interval '6 days'")
	w.sql.Exec(`insert into organizations (org_id, subdomain, name) values (0, 'other', 'Other')`)
	w.sql.Exec(`insert into users (org_id, user_id, email, full_name, role, settings) values (0, 1, 'x@x.example', 'X', 400, '{"color_scheme": "none"}')`)
	w.sql.Exec("update organizations set settings = jsonb_build_object('digest_emails_enabled', true, 'digest_weekday', $1::int)", int(time.Now().UTC().Weekday()+6)%7)
	if err := w.Missed.Digest(t.Context()); err == nil {
		t.Error("nothing failed")
	}
	if letters := w.Letters(); len(letters) != 1 || letters[0].To != w.bob.RealEmail {
		t.Errorf("%+v", letters)
	}
}
