package missed_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// page calls a page and returns its status and what it shows.
func (w *world) page(method, address, form string) (int, string) {
	w.T.Helper()
	r := httptest.NewRequestWithContext(w.T.Context(), method, address, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	w.Pages.ServeHTTP(recorder, r)
	return recorder.Code, recorder.Body.String()
}

// oneClick is what mail programs send (RFC 8058).
const oneClick = "List-Unsubscribe=One-Click"

// A link in a mail ends mail of its sort, without a login, and nothing else; opening it doesn't.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.bob.Register(params{"event_types": []string{"update_global_notifications", "subscription"}})
	w.private(w.ann, "hello", w.bob)
	link := w.letter().Unsubscribe
	if status, body := w.page(http.MethodGet, link, ""); status != 200 || !strings.Contains(body, "private messages and mentions") {
		t.Errorf("%d %s", status, body)
	}
	w.private(w.ann, "hello", w.bob)
	w.letter()
	if status, body := w.page(http.MethodPost, link, oneClick); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if events := queue.Poll(); len(events) != 1 || events[0].Type != "update_global_notifications" {
		t.Errorf("%+v", events)
	}
	w.private(w.ann, "hello", w.bob)
	w.nothing("it is ended")
	w.page(http.MethodPost, link, oneClick) // once more changes nothing

	w.notifications(w.bob, params{"enable_stream_email_notifications": true})
	w.bob.Subscribe("attic")
	w.ann.Subscribe("attic")
	w.ann.SendStream("hall", "topic", "words")
	link = w.letter().Unsubscribe
	if status, body := w.page(http.MethodPost, link, oneClick); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	w.ann.SendStream("hall", "topic", "words")
	w.nothing("the stream's mail is ended")
	w.ann.SendStream("attic", "topic", "words")
	w.letter()
	if settings := storetest.Values[string](w.sql, "select settings::text from users where user_id = $1", w.bob.ID)[0]; !strings.Contains(settings, `"enable_stream_email_notifications": true`) {
		t.Error(settings)
	}
	w.bob.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{"hall"}}).OK()
	if status, body := w.page(http.MethodPost, link, oneClick); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

// A link is for its account and its organization, and can't be made up.
func TestForgedLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NewOrg("other")
	w.private(w.ann, "hello", w.bob)
	link := w.letter().Unsubscribe
	base, token, _ := strings.Cut(link, "/unsubscribe/")
	changed := token[:len(token)-6] + "AAAAAA"
	for _, address := range []string{
		base + "/unsubscribe/" + changed, base + "/unsubscribe/x", base + "/unsubscribe/" + token[:42], base + "/unsubscribe/%00", base + "/unsubscribe/" + strings.Repeat("A", 5000),
		"https://other.chat.example/unsubscribe/" + token,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if status, body := w.page(method, address, oneClick); status != 400 || !strings.Contains(body, "This link isn&#39;t valid") || strings.Contains(body, "These mails end") {
				t.Errorf("%s %s: %d %s", method, address, status, body)
			}
		}
	}
	w.sql.Exec("update users set active = false where user_id = $1", w.bob.ID)
	if status, _ := w.page(http.MethodPost, link, oneClick); status != 400 {
		t.Error(status)
	}
}
