package devices_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/push"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/devices"
	"chatserver.dev/services/servicetest"
)

// A browser belongs to one account, and can be registered again with other keys.
func TestAdd(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	ann, bob := w.Person("Ann", actor.Guest), w.Person("Bob", actor.Member)
	first := add(ann, "https://push.example/1")
	second := add(ann, "https://push.example/2")
	servicetest.Same(t, "the last first", []string{"https://push.example/2", "https://push.example/1"}, endpoints(ann))
	sql.Exec("update push_devices set messages = '{1}', due_at = now(), attempts = 3")
	padded := browser("https://push.example/1")
	padded["auth"] = "AAAAAAAAAAAAAAAAAAAAAA=="
	reply := struct{ ID int64 }{}
	ann.Do(http.MethodPost, route, padded).OK().Decode(&reply)
	servicetest.Same(t, "the same browser", int64(first), reply.ID)
	servicetest.Same(t, "which was added last", []string{"https://push.example/1", "https://push.example/2"}, endpoints(ann))
	servicetest.Same(t, "keys, and what waits", []string{"00000000000000000000000000000000 {1}"},
		storetest.Values[string](sql, "select encode(auth, 'hex') || ' ' || messages::text from push_devices where device_id = $1", int64(first)))
	servicetest.Same(t, "somebody else at the same browser", second, add(bob, "https://push.example/2"))
	servicetest.Same(t, "whose it was", []string{"https://push.example/1"}, endpoints(ann))
	servicetest.Same(t, "whose it is", []string{"https://push.example/2"}, endpoints(bob))
	servicetest.Same(t, "what waited for Ann", []string{"{} "}, storetest.Values[string](sql, "select messages::text || ' ' || coalesce(due_at::text, '') from push_devices where device_id = $1", int64(second)))
}

func TestAddRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	long := "https://push.example/" + strings.Repeat("ä", 900)
	for _, bad := range []string{
		"", "x", "http://push.example/1", "https://", "https:///1", "https://:443/1", "https://me:secret@push.example/1", "javascript:alert(1)", "file:///etc/passwd", "//push.example/1",
		"https://push.example/%zz", long,
	} {
		ann.Do(http.MethodPost, route, browser(bad)).Fails(400, "BAD_REQUEST", "Invalid endpoint: it has to be an https address of at most 1000 bytes")
	}
	for _, bad := range []params{
		{"p256dh": ""},
		{"p256dh": "!"},
		{"p256dh": auth},
		{"p256dh": "BA" + key[2:]},
		{"p256dh": key[:86]},
		{"p256dh": strings.Repeat("A", 87)},
		{"auth": ""},
		{"auth": "!"},
		{"auth": auth[:20]},
		{"auth": auth + "AAAA"},
	} {
		sent := browser("https://push.example/1")
		for name, value := range bad {
			sent[name] = value
		}
		ann.Do(http.MethodPost, route, sent).Fails(400, "BAD_REQUEST", "Invalid keys: p256dh and auth have to be those of the browser's subscription")
	}
	ann.Do(http.MethodPost, route, browser("https://push.example/"+strings.Repeat("x", 1000))).Fails(400, "BAD_REQUEST",
		"endpoint is too long (limit: 1000 characters; sent: 1021)")
	ann.Do(http.MethodPost, route, params{"endpoint": "https://push.example/1", "auth": auth}).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'p256dh' argument")
	w.Bot("Robot", actor.GenericBot, ann).Do(http.MethodPost, route, browser("https://push.example/1")).Fails(400, "", "This endpoint does not accept bot requests.")
	servicetest.Same(t, "nothing was added", []string{}, endpoints(ann))
}

// The number of an account's browsers is limited, also with concurrent calls.
func TestMost(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	add(bob, "https://push.example/bob")
	wg := sync.WaitGroup{}
	for i := range 15 {
		wg.Go(func() { add(ann, fmt.Sprint("https://push.example/", i)) })
	}
	wg.Wait()
	add(ann, "https://push.example/last")
	all := endpoints(ann)
	servicetest.Same(t, "number", 10, len(all))
	servicetest.Same(t, "the last", "https://push.example/last", all[0])
	servicetest.Same(t, "others keep theirs", []string{"https://push.example/bob"}, endpoints(bob))
}

// If the server has no key, no browsers are notified, and the responses report that.
func TestOff(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	add(ann, "https://push.example/1")
	off := push.New(push.Deps{DB: w.DB})
	router := endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(w.DB, org.Config{ExternalHost: servicetest.Host, ExternalScheme: "https"}, time.Now, w.Logger),
		Limiter:       servicetest.Unlimited{}, LocalLimiter: servicetest.Unlimited{}, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Failed: servicetest.Declared(t),
	}, []endpoint.Endpoint{devices.Add(off), devices.List(off)})
	call := func(method, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, "/api/v1"+route, strings.NewReader(body))
		r.Host = servicetest.Host
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(ann.RealEmail, ann.Key)
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, r)
		return answer.Code, answer.Body.String()
	}
	form := url.Values{"endpoint": {"https://push.example/2"}, "p256dh": {key}, "auth": {auth}}.Encode()
	if status, body := call(http.MethodPost, form); status != 400 || !strings.Contains(body, "This server doesn't notify browsers.") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := call(http.MethodGet, ""); status != 200 || !strings.Contains(body, `"vapid_public_key":null`) || !strings.Contains(body, "https://push.example/1") {
		t.Errorf("%d %s", status, body)
	}
}
