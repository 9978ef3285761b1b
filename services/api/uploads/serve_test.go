package uploads_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A file may be read by accounts that may read a message with it (rest-api.md, section 5.10).
func TestWhoReads(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	owner := w.Person("Owner", actor.Member)
	member, guest, subscriber := w.Person("Member", actor.Member), w.Person("Guest", actor.Guest), w.Person("Subscriber", actor.Guest)
	all := []servicetest.Account{owner, member, guest, subscriber}
	readers := func(what, uri string, want ...servicetest.Account) {
		t.Helper()
		for _, a := range all {
			status := http.StatusForbidden
			for _, reader := range want {
				if reader.ID == a.ID {
					status = http.StatusOK
				}
			}
			if got := a.Page(uri, nil); got.Code != status {
				t.Errorf("%s: %s gets %d, want %d: %s", what, a.FullName, got.Code, status, got.Body)
			}
		}
	}
	admin := w.Person("Admin", actor.Administrator)
	uri := owner.Upload("plan.txt", "plan")
	readers("unclaimed", uri, owner)
	member.Subscribe("club") // another account's link doesn't publish it
	member.SendStream("club", "t", link(uri))
	readers("posted by who can't read it", uri, owner)

	direct := owner.Do(http.MethodPost, "/messages", params{"type": "private", "to": []int64{int64(guest.ID)}, "content": "see " + link(uri)})
	direct.OK()
	readers("in a private message", uri, owner, guest)

	admin.Do(http.MethodPost, "/users/me/subscriptions", params{
		"subscriptions": []map[string]string{{"name": "closed"}}, "invite_only": true, "principals": []int64{int64(owner.ID), int64(subscriber.ID), int64(admin.ID)},
	}).OK()
	closed := owner.Upload("closed.txt", "closed")
	message := owner.SendStream("closed", "t", link(closed))
	readers("in a private stream", closed, owner, subscriber)
	join := func(stream string, who servicetest.Account) {
		t.Helper()
		owner.Do(http.MethodPost, "/users/me/subscriptions", params{
			"subscriptions": []map[string]string{{"name": stream}}, "principals": []int64{int64(who.ID)},
		}).OK()
	}
	join("closed", guest)
	readers("in a private stream, before somebody joined", closed, owner, subscriber)
	owner.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", message), params{"content": "no file"}).OK()
	readers("taken out of it", closed, owner)
	owner.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", message), params{"content": "again " + link(closed)}).OK()
	readers("put into it again", closed, owner, subscriber)
	admin.Do(http.MethodDelete, fmt.Sprintf("/messages/%d", message), nil).OK()
	readers("deleted", closed, owner)

	owner.NewStream("shared", params{"invite_only": true, "history_public_to_subscribers": true, "principals": servicetest.IDs(owner)})
	shared := owner.Upload("shared.txt", "shared")
	owner.SendStream("shared", "t", link(shared))
	readers("in a private stream with a shared history", shared, owner)
	join("shared", guest)
	readers("in a private stream with a shared history, before somebody joined", shared, owner, guest)

	owner.Subscribe("open")
	open := owner.Upload("open.txt", "open")
	starred := owner.SendStream("open", "t", link(open))
	readers("in a public stream", open, owner, member)
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("update streams set is_web_public = true where name = 'open'")
	readers("in a web-public stream", open, all...)
	sql.Exec("update streams set is_web_public = false where name = 'open'")
	member.Do(http.MethodPost, "/messages/flags", params{"messages": []int64{starred}, "flag": "starred", "op": "add"}).OK()
	stream := storetest.Values[int64](sql, "select stream_id from streams where name = 'open'")[0]
	admin.Do(http.MethodPatch, fmt.Sprintf("/streams/%d", stream), params{"is_private": true}).OK()
	readers("in a stream that has become private, starred before", open, owner, member)

	nobody := owner
	nobody.RealEmail = ""
	image := map[string]string{"Sec-Fetch-Mode": "no-cors"} // of a page whose session has ended: the browser must not ask for a password
	if a := nobody.Page(uri, image); a.Code != http.StatusUnauthorized || a.Header().Get("WWW-Authenticate") != `Session realm="chatserver"` {
		t.Errorf("nobody's image: %d %v", a.Code, a.Header())
	}
	if a := nobody.Page(uri, nil); a.Code != http.StatusUnauthorized || a.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("without a login: %d %v", a.Code, a.Header())
	}
	if a := nobody.Page(uri+"?api_key="+owner.Key, nil); a.Code != http.StatusOK {
		t.Errorf("by a key in the query string: %d %s", a.Code, a.Body)
	}
	hook := w.Bot("Hook", actor.IncomingWebhook, owner)
	if a := hook.Page(uri, nil); a.Code != http.StatusUnauthorized {
		t.Errorf("an incoming webhook bot: %d %s", a.Code, a.Body)
	}
}

// Browsers show only a few types, which are detected from the first bytes. All other files are downloaded, and no
// script runs.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	const script = "<script>alert(1)</script>"
	for _, c := range []struct{ name, content, kind, disposition string }{
		{"a.png", png, "image/png", "inline; filename=a.png"},
		{"a.html", png, "image/png", "inline; filename=a.html"},
		{"a.jpg", "\xff\xd8\xff\xe0 and more", "image/jpeg", "inline; filename=a.jpg"},
		{"a.gif", "GIF89a" + script, "image/gif", "inline; filename=a.gif"},
		{"a.webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp", "inline; filename=a.webp"},
		{"a.pdf", "%PDF-1.7", "application/pdf", "inline; filename=a.pdf"},
		{"a.mp4", "\x00\x00\x00\x20ftypisom" + script, "video/mp4", "inline; filename=a.mp4"},
		{"a.mov", "\x00\x00\x00\x14ftypqt  ", "video/quicktime", "inline; filename=a.mov"},
		{"a.webm", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm", "video/webm", "inline; filename=a.webm"},
		{"a.ogv", "OggS\x00\x02" + strings.Repeat("\x00", 22) + "\x80theora", "video/ogg", "inline; filename=a.ogv"},
		{"a.m4a", "\x00\x00\x00\x20ftypM4A ", "audio/mp4", "inline; filename=a.m4a"},
		{"a.opus", "OggS\x00\x02" + strings.Repeat("\x00", 22) + "OpusHead", "audio/ogg", "inline; filename=a.opus"},
		{"a.mp3", "ID3\x04" + script, "audio/mpeg", "inline; filename=a.mp3"},
		{"a.wav", "RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav", "inline; filename=a.wav"},
		{"a.flac", "fLaC\x00", "audio/flac", "inline; filename=a.flac"},
		{"b.mp4", script + "\x00\x00\x00\x20ftypisom", "application/octet-stream", "attachment; filename=b.mp4"},
		{"c.mp4", "\x00\x00\x00\x20ftypxxxx" + script, "application/octet-stream", "attachment; filename=c.mp4"},
		{"b.webm", "\x1a\x45\xdf\xa3\x00matroska", "application/octet-stream", "attachment; filename=b.webm"},
		{"b.ogg", "OggS" + script, "application/octet-stream", "attachment; filename=b.ogg"},
		{"b.swf", "FWS\x0a", "application/octet-stream", "attachment; filename=b.swf"},
		{"b.png", "<!doctype html>" + script, "application/octet-stream", "attachment; filename=b.png"},
		{"b.html", script, "application/octet-stream", "attachment; filename=b.html"},
		{"b.svg", `<svg xmlns="http://www.w3.org/2000/svg">` + script + "</svg>", "application/octet-stream", "attachment; filename=b.svg"},
		{"b.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">` + script + "</html>", "application/octet-stream", "attachment; filename=b.xhtml"},
		{"b.js", "alert(1)", "application/octet-stream", "attachment; filename=b.js"},
		{"b.pdf", " %PDF-1.7", "application/octet-stream", "attachment; filename=b.pdf"},
		{"short", "\x89", "application/octet-stream", "attachment; filename=short"},
		{"empty.gif", "", "application/octet-stream", "attachment; filename=empty.gif"},
		{`quote".txt`, "x", "application/octet-stream", `attachment; filename="quote\".txt"`},
		{"ü \u202egnp.exe", "x", "application/octet-stream", "attachment; filename*=utf-8''%C3%BC%20gnp.exe"},
	} {
		a := ann.Page(ann.Upload(c.name, c.content), nil)
		h := a.Header()
		if a.Code != http.StatusOK || a.Body.String() != c.content || h.Get("Content-Type") != c.kind || h.Get("Content-Disposition") != c.disposition {
			t.Errorf("%q: %d %v", c.name, a.Code, h)
		}
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "private, immutable" || h.Get("Vary") != "Cookie" {
			t.Errorf("%q: %v", c.name, h)
		}
		if sandbox := strings.Contains(h.Get("Content-Security-Policy"), "sandbox"); sandbox == (c.kind == "application/pdf") {
			t.Errorf("%q: %v", c.name, h)
		}
	}
}

// Addresses without a file are unknown, whatever they contain.
func TestOddAddresses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	uri := ann.Upload("plan.txt", "plan")
	for _, path := range []string{
		"/user_uploads/1/ab/%00/a", "/user_uploads/1/ab/x/%00", "/user_uploads/1/ab/%ff/a", "/user_uploads/%2e%2e/%2e%2e/etc/passwd", "/user_uploads/1/%2f/x/a",
		"/user_uploads/1/ab/" + strings.Repeat("x", 5000) + "/a", "/user_uploads/99999999999999999999/ab/x/a", uri + "%00", uri + "/", strings.ToUpper(uri[14:]),
	} {
		if !strings.HasPrefix(path, "/user_uploads/") {
			path = "/user_uploads/" + path
		}
		for what, a := range map[string]*httptest.ResponseRecorder{"page": ann.Page(path, nil), "thumbnail": ann.Page(thumbnail(path, "thumbnail"), nil)} {
			if a.Code != http.StatusNotFound || !strings.HasPrefix(a.Body.String(), `{"result":"error"`) {
				t.Errorf("%s of %q: %d %s", what, path, a.Code, a.Body)
			}
		}
		if a := ann.Do(http.MethodGet, path, nil); a.Status != http.StatusNotFound && a.Status != http.StatusBadRequest {
			t.Errorf("temporary of %q: %d %s", path, a.Status, a.Body)
		}
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	uri := ann.Upload("plan.txt", "0123456789")
	whole := ann.Page(uri, nil)
	tag := whole.Header().Get("ETag")
	for header, want := range map[string]string{
		"Range: bytes=2-4": "206 234", "Range: bytes=8-": "206 89", "Range: bytes=-1": "206 9", "Range: bytes=90-": "416 ", "Range: x": "416 ",
		"Range: bytes=0-0,2-2": "200 0123456789", "If-None-Match: " + tag: "304 ", `If-None-Match: "x"`: "200 0123456789",
	} {
		name, value, _ := strings.Cut(header, ": ")
		a := ann.Page(uri, map[string]string{name: value})
		got := fmt.Sprintf("%d %s", a.Code, a.Body)
		if strings.HasPrefix(want, "416") {
			got, _, _ = strings.Cut(got, " ")
			got += " "
		}
		if got != want {
			t.Errorf("%s: %s, want %s", header, got, want)
		}
	}
}
