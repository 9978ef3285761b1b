package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	domain "chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/admin"
	"chatserver.dev/services/servicetest"
	"chatserver.dev/services/webhook"
)

type params = servicetest.Params

const (
	token = "0123456789-the-admin-token"
	key   = "team/engineering" // of the organization
)

// world is a server with its admin interface.
type world struct {
	*servicetest.World
	*adminclient.Client
	t     *testing.T
	url   string
	clock *testbed.Clock
	auth  *user.Authenticator // with the clock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newSettlingWorld(t, 0)
}

// newSettlingWorld returns a world in which an organization's rows stay for some time after its deactivation.
func newSettlingWorld(t *testing.T, settle time.Duration) *world {
	t.Helper()
	w := &world{World: servicetest.New(t, org.Method{Name: "idp_1"}), t: t, clock: testbed.NewClock(time.Now())}
	service := domain.New(domain.Deps{
		DB: w.DB, Redis: w.Redis, Orgs: w.Orgs, Policy: w.Policy, Linkifiers: linkifier.New(w.DB, w.Logger), Users: user.New(w.DB, w.Orgs, w.clock.Now), Accounts: w.Accounts, Logins: w.Logins, UserGroups: w.Groups, Streams: w.World.Streams, Subscriptions: w.Subscriptions,
		Presence: w.Presence, Render: markdown.New(markdown.Config{}), Database: store.Config{URL: w.DatabaseURL}, Integrations: webhook.Names(),
		Version: "1.2.3", Now: w.clock.Now, Settle: settle,
	})
	w.auth = user.NewAuthenticator(w.DB, w.Orgs.Config(), w.clock.Now, w.Logger)
	server := httptest.NewServer(admin.NewHandler(admin.Operations(service), admin.NewTokens(admin.Config{Token: token}), w.Logger))
	t.Cleanup(server.Close)
	w.url = server.URL
	client, err := adminclient.New(server.URL, token, &http.Client{Transport: keepsContract{t}})
	if err != nil {
		t.Fatal(err)
	}
	w.Client = client
	return w
}

// made creates an organization with an owner, and returns the owner's account.
func (w *world) made() servicetest.Account {
	w.t.Helper()
	ensured := must(w.PutOrganization(w.t.Context(), key, adminapi.OrganizationSpec{Subdomain: new("eng"), Name: new("Engineering")}))(w.t)
	if !ensured.Created {
		w.t.Fatal("it was there")
	}
	o := must(w.Orgs.ByHost(w.t.Context(), "eng."+servicetest.Host))(w.t)
	return w.Account(o, user.Draft{FullName: "Ada", Role: actor.Owner, RealEmail: "ada@corp.example"})
}

// must returns a result, or ends the test if there is an error.
func must[R any](result R, err error) func(t *testing.T) R {
	return func(t *testing.T) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// fails checks that the server has refused a call.
func fails[R any](_ R, err error) func(t *testing.T, status int, code, msg string) {
	return func(t *testing.T, status int, code, msg string) {
		t.Helper()
		got := (*adminclient.Error)(nil)
		want := &adminclient.Error{Status: status, Code: code, Msg: msg}
		if _, held, named := strings.Cut(msg, "is managed under the key '"); named {
			want.HeldKey = strings.TrimSuffix(held, "'.")
		}
		if !errors.As(err, &got) || !cmp.Equal(want, got) {
			t.Errorf("got %v, want %+v", err, want)
		}
	}
}

// changed checks that a call has found an existing object, and changed only the named fields.
func changed[S any](ensured adminapi.Ensured[S], err error) func(t *testing.T, names ...string) S {
	return func(t *testing.T, names ...string) S {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if names == nil {
			names = []string{}
		}
		if diff := cmp.Diff(names, ensured.Changed); diff != "" || ensured.Created {
			t.Errorf("created: %v, changed (-want +got):\n%s", ensured.Created, diff)
		}
		return ensured.State
	}
}

// works reports whether an API key works at the fake time.
func (w *world) works(apiKey string) bool {
	w.t.Helper()
	_, err := w.auth.AuthenticateKey(w.t.Context(), "eng."+servicetest.Host, apiKey)
	return err == nil
}

// account returns an account that was created by the interface.
func (w *world) account(number int64, apiKey string) servicetest.Account {
	w.t.Helper()
	return w.Existing(w.org(), id.User(number), apiKey)
}

func (w *world) org() org.Org {
	w.t.Helper()
	return must(w.Orgs.ByHost(w.t.Context(), "eng."+servicetest.Host))(w.t)
}

func (w *world) sql() *storetest.Session {
	w.t.Helper()
	return storetest.Connect(w.t, w.DatabaseURL)
}

// awaitLock returns when a transaction waits for a lock.
func (w *world) awaitLock() {
	w.t.Helper()
	w.sql().AwaitBlocked(1)
}

func (w *world) write(work func(ctx context.Context, tx *store.Tx) error) {
	w.t.Helper()
	if err := w.DB.Write(w.t.Context(), w.org().ID, func(tx *store.Tx) error { return work(w.t.Context(), tx) }); err != nil {
		w.t.Fatal(err)
	}
}

// raw calls the interface with an unchanged body.
func (w *world) raw(method, path, body string) (status int, code, msg string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	failure := adminapi.Failure{}
	if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, failure.Code, failure.Msg
}
