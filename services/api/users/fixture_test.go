package users_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/users"
	"chatserver.dev/services/servicetest"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// account is an account with its key.
type account struct {
	user.User
	key  string
	host string
}

// server is a server with the endpoints of accounts and two organizations.
type server struct {
	t           *testing.T
	url         string
	db          *store.DB
	users       *user.Service
	router      http.Handler
	acme, other org.Org
}

func newServer(t *testing.T, settings func(*org.Settings)) *server {
	t.Helper()
	s := &server{t: t}
	s.db, s.url = storetest.OpenURL(t)
	clock := testbed.NewClock(start)
	config := org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}
	orgs := org.New(s.db, config, clock.Now)
	s.users = user.New(s.db, orgs, clock.Now)
	chosen := org.Defaults()
	settings(&chosen)
	for subdomain, made := range map[string]*org.Org{"acme": &s.acme, "other": &s.other} {
		var err error
		*made, err = orgs.Create(t.Context(), org.Draft{Subdomain: subdomain, Name: subdomain, Settings: chosen}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	s.router = endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(s.db, config, clock.Now, testbed.Logger(t)), Limiter: servicetest.Unlimited{},
		Logger: testbed.Logger(t), Now: clock.Now, Failed: servicetest.Declared(t),
	}, []endpoint.Endpoint{users.List(s.users), users.Get(s.users), users.Me(s.users)})
	return s
}

func nothing(*org.Settings) {}

func (s *server) create(o org.Org, name string, role actor.Role, bot actor.BotType, owner id.User) account {
	s.t.Helper()
	a := account{host: o.Subdomain + ".chat.example"}
	s.write(o, func(tx *store.Tx) (err error) {
		a.User, a.key, err = s.users.Create(s.t.Context(), tx, o, user.Draft{
			RealEmail: name + "@corp.example", FullName: name, Role: role, Bot: bot, Owner: owner,
		})
		return err
	})
	s.exec("update users set timezone = 'Europe/Oslo' where user_id = $1", a.ID)
	return a
}

func (s *server) person(o org.Org, name string, role actor.Role) account {
	s.t.Helper()
	return s.create(o, name, role, actor.Human, 0)
}

func (s *server) write(o org.Org, work func(tx *store.Tx) error) {
	s.t.Helper()
	if err := s.db.Write(s.t.Context(), o.ID, work); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) exec(sql string, args ...any) {
	s.t.Helper()
	storetest.Connect(s.t, s.url).Exec(sql, args...)
}

// get makes a request as an account and compares the response.
func (s *server) get(as account, path string, status int, want map[string]any) {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, path, nil)
	r.Host = as.host
	r.SetBasicAuth(as.RealEmail, as.key)
	w := httptest.NewRecorder()
	s.router.ServeHTTP(w, r)
	servicetest.KeepsContract(s.t, r, w)
	got := map[string]any{}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		s.t.Fatalf("%s: %v in %q", path, err, w.Body)
	}
	if diff := cmp.Diff(want, got); w.Code != status || diff != "" {
		s.t.Errorf("%s: status %d, want %d; body (-want +got):\n%s", path, w.Code, status, diff)
	}
}

// object returns an account in the form for everyone, with changes; nil removes a field.
func object(a account, changes map[string]any) map[string]any {
	n := strconv.FormatInt(int64(a.ID), 10)
	o := map[string]any{
		"user_id": float64(a.ID), "email": a.RealEmail, "full_name": a.FullName,
		"is_admin": a.Role <= actor.Administrator, "is_owner": a.Role == actor.Owner, "is_guest": a.Role == actor.Guest,
		"is_bot": a.IsBot(), "is_active": true, "timezone": "Europe/Oslo", "date_joined": "2026-03-01T12:00:00+00:00",
		"avatar_version": 1.0, "avatar_url": "/avatar/" + n + "?v=1", "bot_type": nil,
	}
	for name, value := range changes {
		o[name] = value
	}
	return o
}

func success(members map[string]any) map[string]any {
	members["result"], members["msg"] = "success", ""
	return members
}

func number(n id.User) string { return strconv.FormatInt(int64(n), 10) }

// systemBot returns the notification bot.
func systemBot(s *server, o org.Org) user.User {
	s.t.Helper()
	bot := user.User{}
	s.write(o, func(tx *store.Tx) error {
		all, err := user.All(s.t.Context(), tx)
		for _, u := range all {
			if u.System {
				bot = u
			}
		}
		return err
	})
	return bot
}
