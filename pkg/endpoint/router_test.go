package endpoint_test

import (
	"net/http"
	"testing"
)

func TestUnknownPath(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[struct {
		Message int `path:"message_id"`
	}]("GET /messages/{message_id}"))
	for _, path := range []string{
		"/", "/api/v1", "/api/v1/messages", "/api/v1/messages/abc", "/api/v1/messages/1/", "/api/v1/messages/-1",
		"/api/v1/messages/1%2f2", "/messages/1", "/api/v1/messages/",
	} {
		r := request(t, http.MethodGet, path, "")
		r.Header.Del("Authorization")
		t.Log(path)
		want(t, s.do(r), 404, `{"result":"error","code":"NOT_FOUND","msg":"Not Found"}`)
	}
}

// A page of another website can't use the credentials that a browser stores for its user.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	s := serve(t, answer("POST /x", none{}, nil), answer("PATCH /x", none{}, nil), answer("PUT /x", none{}, nil), answer("DELETE /x", none{}, nil), answer("GET /x", none{}, nil))
	for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodGet, http.MethodHead} {
		for _, from := range []struct {
			site, origin string
			foreign      bool
		}{
			{"cross-site", "", true},
			{"cross-site", "https://evil.example", true},
			{"same-origin", "", false},
			{"same-site", "https://other." + host, false},
			{"none", "", false},
			{"", "", false}, // a program
			{"", "http://evil.example", true},
			{"", "http://" + host + ".evil.example", true},
			{"", "null", true},
			{"", "http://" + host, false},
		} {
			r := request(t, method, "/api/v1/x", "")
			r.Header.Set("Sec-Fetch-Site", from.site)
			r.Header.Set("Origin", from.origin)
			w := s.do(r)
			refused := from.foreign && method != http.MethodGet && method != http.MethodHead
			if refused != (w.Code == http.StatusForbidden) || w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %+v: %d, %v", method, from, w.Code, w.Header())
			}
			if refused {
				want(t, w, 403, `{"result":"error","msg":"This request comes from a page of another website (by Sec-Fetch-Site or Origin), which can't change anything here: open a page of this server, or use a program"}`)
			}
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	type message struct {
		ID int `path:"id"`
	}
	type other struct {
		ID int `path:"message_id"`
	}
	s := serve(t, echo[message]("GET /messages/{id}"), echo[other]("DELETE /messages/{message_id}"), echo[none]("POST /only"))

	w := s.do(request(t, http.MethodPut, "/api/v1/messages/1", ""))
	want(t, w, 405, `{"result":"error","code":"METHOD_NOT_ALLOWED","msg":"Method Not Allowed","allowed_methods":["DELETE","GET"]}`)
	if got := w.Header().Get("Allow"); got != "DELETE, GET" {
		t.Errorf("Allow: %q", got)
	}
	want(t, s.do(request(t, "BREW", "/api/v1/only", "")), 405,
		`{"result":"error","code":"METHOD_NOT_ALLOWED","msg":"Method Not Allowed","allowed_methods":["POST"]}`)
	if w := s.do(request(t, http.MethodHead, "/api/v1/only", "")); w.Code != 405 || w.Body.Len() > 0 {
		t.Errorf("HEAD without GET: %d %q", w.Code, w.Body)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[none]("GET /x"), echo[none]("DELETE /x"))
	r := request(t, http.MethodOptions, "/api/v1/x", "")
	r.Header.Del("Authorization")
	w := s.do(r)
	if w.Code != http.StatusNoContent || w.Body.Len() > 0 || w.Header().Get("Allow") != "DELETE, GET" {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[none]("GET /x"))
	got, head := s.do(request(t, http.MethodGet, "/api/v1/x", "")), s.do(request(t, http.MethodHead, "/api/v1/x", ""))
	if head.Code != http.StatusOK || head.Body.Len() > 0 || head.Header().Get("Content-Length") != got.Header().Get("Content-Length") {
		t.Errorf("%d %q %v", head.Code, head.Body, head.Header())
	}
}
