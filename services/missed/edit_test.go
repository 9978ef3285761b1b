package missed_test

import (
	"net/http"
	"slices"
	"testing"

	"chatserver.dev/pkg/actor"
)

// Whom an edit mentions is mailed, but not who was mentioned in the same way before.
func TestMentionedByEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.device(int64(w.bob.ID))
	eve, fay := w.Person("Eve", actor.Member), w.Person("Fay", actor.Member)
	eve.Subscribe("hall")
	fay.Subscribe("hall")
	w.notifications(eve, params{"enable_stream_email_notifications": true})
	edited := w.ann.SendStream("hall", "topic", "can somebody look?")
	edit := func(content string) {
		w.ann.Do(http.MethodPatch, path("/messages", edited), params{"content": content}).OK()
	}
	same(t, "to who hears of all messages", eve.RealEmail, w.letter().To)
	edit("@**Ann** @**Bob** @**Eve** can you look?")
	same(t, "pushed", []string{"@Ann @Bob @Eve can you look?"}, contents(w.notices(w.Missed)))
	to := func(what string, want ...string) {
		t.Helper()
		got := []string(nil)
		for _, letter := range w.letters() {
			got = append(got, letter.To)
		}
		slices.Sort(got)
		same(t, what, want, got)
	}
	to("who is mentioned", w.bob.RealEmail, eve.RealEmail)
	edit("@**Bob** can you please look?")
	w.nothing("Bob was mentioned before")
	edit("@**Bob** @**all** can you look?")
	to("all others", eve.RealEmail, fay.RealEmail)
	edit("@**Bob** @**Fay** @**all** can you look?")
	same(t, "to who was only mentioned with all", fay.RealEmail, w.letter().To)
	edit("@**Bob** @**Fay** @**all** can you please look?")
	w.nothing("all were mentioned before")
	w.ann.Do(http.MethodPatch, path("/messages", edited), params{"topic": "moved"}).OK()
	w.nothing("it was moved")

	edited = w.ann.SendStream("hall", "topic", "can somebody look?")
	w.letter()
	w.bob.Do(http.MethodPost, "/users/me/presence", params{"status": "active", "client": "website"}).OK()
	w.ann.Do(http.MethodPatch, path("/messages", edited), params{"content": "@**Bob** can you look?", "topic": "elsewhere"}).OK()
	w.sql.Exec("update messages set sent_at = sent_at - interval '1 hour'")
	w.nothing("Bob may be there")
	w.must(w.Presence.Forget(t.Context(), w.Org.ID))
	same(t, "subject", "#hall > elsewhere", w.letter().Subject)
	edited = w.private(w.ann, "hello", w.bob)
	w.letter()
	edit("@**Bob** hello")
	w.nothing("it is private")
}

// Who is notified of all messages of the stream, but wasn't of this one, is notified of a mention that an edit adds.
func TestHearerMentionedByEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.device(int64(w.bob.ID))
	w.subscribed(w.bob, "email_notifications", true)
	w.subscribed(w.bob, "push_notifications", false)
	w.subscribed(w.bob, "wildcard_mentions_notify", false)
	w.acts().muteTopic("add")()
	edited := w.ann.SendStream("hall", "topic", "@**all** can somebody look?")
	w.nothing("the topic is muted")
	same(t, "not pushed", []string(nil), contents(w.notices(w.Missed)))
	w.ann.Do(http.MethodPatch, path("/messages", edited), params{"content": "@**all** @**Bob** can you look?"}).OK()
	same(t, "mailed", []string{"@all @Bob can you look?"}, said(w.letter()))
	same(t, "pushed", []string{"@all @Bob can you look?"}, contents(w.notices(w.Missed)))
}
