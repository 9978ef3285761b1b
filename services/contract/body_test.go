package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// counted is a body of spaces that counts the bytes read.
type counted struct{ left, read int64 }

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), c.left)
	for i := range p[:n] {
		p[i] = 'a'
	}
	c.left -= n
	c.read += n
	return int(n), nil
}

// A body is read only up to the size that the endpoint declares, and not before the caller is authenticated.
func TestBodies(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	hook := w.Bot("Hook", actor.IncomingWebhook, w.Person("Hans", actor.Owner))
	db := storetest.Connect(t, w.DatabaseURL)
	unknown := strings.Repeat("x", 32)
	for i, e := range w.Endpoints {
		limit := e.About().MaxBody
		if e.Method() == http.MethodGet || e.Kind() == endpoint.KindPublic {
			continue
		}
		byKey := e.ByKey()
		send := func(who servicetest.Account, key string, length int64, announced bool) (*httptest.ResponseRecorder, int64) {
			body, target := &counted{left: length}, "https://"+servicetest.Host+numbered(e)
			if byKey && key != "" {
				target += "?api_key=" + key
			}
			r := httptest.NewRequestWithContext(t.Context(), e.Method(), target, body)
			if r.ContentLength = -1; announced {
				r.ContentLength = length
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if who.Key != "" {
				r.SetBasicAuth(who.RealEmail, key)
			}
			answer := httptest.NewRecorder()
			w.Handler.ServeHTTP(answer, r)
			return answer, body.read
		}
		for _, announced := range []bool{true, false} {
			who := hook
			if !byKey {
				who = w.Person(fmt.Sprintf("Olga %d %t", i, announced), actor.Owner) // some calls end their caller's key
			}
			for what, key := range map[string]string{"nobody": "", "an unknown key": unknown} {
				from := who
				if key == "" {
					from = servicetest.Account{}
				}
				answer, read := send(from, key, limit, announced)
				if refused := answer.Code == http.StatusUnauthorized || byKey && answer.Code == http.StatusBadRequest; !refused || read > 0 {
					t.Errorf("%s, %s: %d after %d bytes: %s", e.Route(), what, answer.Code, read, answer.Body)
				}
			}
			answer, read := send(who, who.Key, limit+1, announced)
			if answer.Code != http.StatusRequestEntityTooLarge || !strings.Contains(answer.Body.String(), "REQUEST_TOO_LARGE") || announced && read > 0 || read > limit+1 {
				t.Errorf("%s, more than its limit: %d after %d bytes: %s", e.Route(), answer.Code, read, answer.Body)
			}
			if answer, _ := send(who, who.Key, limit, announced); answer.Code == http.StatusRequestEntityTooLarge {
				t.Errorf("%s, as much as its limit: %s", e.Route(), answer.Body)
			}
			db.Exec("update organizations set deactivated = false") // the owner may do that
		}
	}
}

// numbered returns the endpoint's path with a number for each parameter.
func numbered(e endpoint.Endpoint) string {
	segments := strings.Split(e.Path(), "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[i] = "1"
		}
	}
	return strings.Join(segments, "/")
}
