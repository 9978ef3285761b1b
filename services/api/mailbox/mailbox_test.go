package mailbox_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api/mailbox"
)

// The page shows the newest mail first, with working links, and no text of a mail as markup.
func TestPage(t *testing.T) {
	t.Parallel()
	folder := mail.NewFolder(mail.Config{Dir: t.TempDir(), From: "chat@chat.example"}, time.Now)
	mux := http.NewServeMux()
	mux.Handle(mailbox.Route, mailbox.Page(folder, org.Config{ExternalHost: "example.com"}, testbed.Logger(t)))
	show := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mailbox", nil))
		return w
	}
	if w := show(); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "There is none so far.") {
		t.Error(w.Code, w.Body)
	}
	for _, l := range []mail.Letter{
		{To: "ada@corp.example", From: "Mill", Subject: "First", Before: []string{"<script>alert(1)</script>", "javascript:alert(1)"}},
		{To: "eve@corp.example", From: "Mill", Subject: "Second", Link: "https://chat.example/join/X", Button: "Join"},
	} {
		if err := folder.Deliver(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	w := show()
	page := w.Body.String()
	if second, first := strings.Index(page, "Second"), strings.Index(page, "First"); second < 0 || first < second {
		t.Error(page)
	}
	if !strings.Contains(page, `<a href="https://chat.example/join/X">`) || strings.Contains(page, "<script") || strings.Count(page, "<a ") != 1 {
		t.Error(page)
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
		t.Error(policy)
	}
	// Another website whose domain resolves to this server has no access.
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mailbox", nil)
	r.Host = "evil.test"
	foreign := httptest.NewRecorder()
	if mux.ServeHTTP(foreign, r); foreign.Code != http.StatusNotFound || strings.Contains(foreign.Body.String(), "Second") {
		t.Error(foreign.Code, foreign.Body)
	}
}
