package user_test

import (
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// server is a server with the organizations acme and other.
type server struct {
	t      *testing.T
	url    string // of the database, as a superuser
	db     *store.DB
	clock  *testbed.Clock
	orgs   *org.Service
	users  *user.Service
	acme   org.Org
	other  org.Org
	config org.Config
}

func newServer(t *testing.T, settings func(*org.Settings)) *server {
	t.Helper()
	s := &server{t: t, clock: testbed.NewClock(start), config: org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}}
	s.db, s.url = storetest.OpenURL(t)
	s.orgs = org.New(s.db, s.config, s.clock.Now)
	s.users = user.New(s.db, s.orgs, s.clock.Now)
	chosen := org.Defaults()
	if settings != nil {
		settings(&chosen)
	}
	create := func(subdomain string) org.Org {
		o, err := s.orgs.Create(t.Context(), org.Draft{Subdomain: subdomain, Name: subdomain, Settings: chosen}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	s.acme, s.other = create("acme"), create("other")
	return s
}

func (s *server) write(o org.Org, work func(tx *store.Tx) error) {
	s.t.Helper()
	if err := s.db.Write(s.t.Context(), o.ID, work); err != nil {
		s.t.Fatal(err)
	}
}

// create creates an account and returns it and its key.
func (s *server) create(o org.Org, draft user.Draft) (user.User, string) {
	s.t.Helper()
	made, key := user.User{}, ""
	s.write(o, func(tx *store.Tx) (err error) {
		made, key, err = s.users.Create(s.t.Context(), tx, o, draft)
		return err
	})
	return made, key
}

func (s *server) person(o org.Org, name string, role actor.Role) (user.User, string) {
	s.t.Helper()
	return s.create(o, user.Draft{RealEmail: name + "@corp.example", FullName: name + " Test", Role: role})
}

func (s *server) bot(o org.Org, name string, owner id.User) (user.User, string) {
	s.t.Helper()
	return s.create(o, user.Draft{
		RealEmail: name + "-bot@chat.example", FullName: name + " Bot", Role: actor.Member, Bot: actor.GenericBot, Owner: owner,
	})
}

// exec runs SQL as a superuser, for changes that the product can't make yet.
func (s *server) exec(sql string, args ...any) {
	s.t.Helper()
	storetest.Connect(s.t, s.url).Exec(sql, args...)
}
