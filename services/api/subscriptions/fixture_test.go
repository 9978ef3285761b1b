package subscriptions_test

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/subscriptions"
	"chatserver.dev/services/servicetest"
)

// silent is a notification bot that sends nothing.
type silent struct{}

func (silent) ToStream(context.Context, *store.Tx, id.Stream, catalogue.StreamNotice, ...id.User) error {
	return nil
}

func (silent) ToUsers(context.Context, *store.Tx, []id.User, []catalogue.Notice) (send func(context.Context) error, err error) {
	return func(context.Context) error { return nil }, nil
}

func (silent) ToNew(
	context.Context, *store.Tx, catalogue.StreamNotice, ...id.User,
) (send func(ctx context.Context, to []sqlc.Stream) error, err error) {
	return func(context.Context, []sqlc.Stream) error { return nil }, nil
}

// server is a server with an organization. keys are the keys of its accounts.
type server struct {
	*endpoint.Router
	keys map[string]string
}

func newServer(t *testing.T) server {
	t.Helper()
	return newServerWith(t, func(*org.Settings) {})
}

// newServerWith is like newServer with other settings of the organization.
func newServerWith(t *testing.T, change func(*org.Settings)) server {
	t.Helper()
	settings := org.Defaults()
	change(&settings)
	db := storetest.Open(t)
	now := testbed.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)).Now
	config := org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}
	orgs := org.New(db, config, now)
	users := user.New(db, orgs, now)
	s := server{keys: map[string]string{}}
	made, err := orgs.Create(t.Context(), org.Draft{Subdomain: "acme", Name: "Acme", Settings: settings}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range []struct {
		name string
		role actor.Role
		bot  actor.BotType
	}{
		{"owner", actor.Owner, actor.Human},
		{"admin", actor.Administrator, actor.Human},
		{"ann", actor.Member, actor.Human},
		{"guest", actor.Guest, actor.Human},
		{"robot", actor.Member, actor.GenericBot},
		{"hook", actor.Member, actor.IncomingWebhook},
	} {
		err := db.Write(t.Context(), made.ID, func(tx *store.Tx) (err error) {
			_, s.keys[account.name], err = users.Create(t.Context(), tx, made, user.Draft{
				RealEmail: account.name + "@acme.example", FullName: account.name, Role: account.role, Bot: account.bot,
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	service := subscription.New(db, orgs, markdown.New(markdown.Config{}), silent{}, now)
	s.Router = endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(db, config, now, testbed.Logger(t)), Limiter: servicetest.Unlimited{}, Logger: testbed.Logger(t), Now: now, Failed: servicetest.Declared(t),
	}, []endpoint.Endpoint{
		subscriptions.List(service), subscriptions.Subscribe(service), subscriptions.Unsubscribe(service),
	})
	return s
}

// call makes a request and returns the status, a blank, and the body. params are pairs of a name and a value.
func (s server) call(t *testing.T, who, method string, params ...string) string {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	target, body := "/api/v1/users/me/subscriptions", form.Encode()
	if method == "GET" {
		target, body = target+"?"+body, ""
	}
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Host = "acme.chat.example"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(who+"@acme.example", s.keys[who])
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	servicetest.KeepsContract(t, r, w)
	return strings.TrimSpace(w.Result().Status[:4] + w.Body.String())
}

func (s server) want(t *testing.T, want, who, method string, params ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.call(t, who, method, params...)); diff != "" {
		t.Errorf("%s %s %q (-want +got):\n%s", who, method, params, diff)
	}
}
