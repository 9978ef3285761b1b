package alert_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// server is a database with an organization that has one member.
type server struct {
	t      *testing.T
	db     *store.DB
	orgs   *org.Service
	org    id.Org
	alerts *alert.Service
	ann    user.User
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, db: storetest.Open(t)}
	s.orgs = org.New(s.db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now)
	s.alerts = alert.New(s.db)
	made, err := s.orgs.Create(t.Context(), org.Draft{Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.org = made.ID
	err = s.db.Write(t.Context(), s.org, func(tx *store.Tx) error {
		s.ann, _, err = user.New(s.db, s.orgs, time.Now).Create(t.Context(), tx, made, user.Draft{
			RealEmail: "ann@chat.example", FullName: "Ann", Role: actor.Member,
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// caller returns the current actor of Ann.
func (s *server) caller() actor.Actor {
	s.t.Helper()
	who := actor.Actor{}
	err := s.db.Read(s.t.Context(), s.org, func(tx *store.Tx) error {
		o, err := s.orgs.Load(s.t.Context(), tx)
		who = s.ann.Actor(o, nil)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return who
}

func (s *server) add(words ...string) {
	s.t.Helper()
	if _, err := s.alerts.Add(s.t.Context(), s.caller(), words); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) words(who actor.Actor) *alert.Matcher {
	s.t.Helper()
	m, err := s.alerts.Words(s.t.Context(), who)
	if err != nil {
		s.t.Error(err)
	}
	return m
}

func (s *server) within(who actor.Actor) *alert.Matcher {
	s.t.Helper()
	m := (*alert.Matcher)(nil)
	err := s.db.Read(s.t.Context(), s.org, func(tx *store.Tx) (err error) {
		m, err = s.alerts.WordsIn(s.t.Context(), tx, who)
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
	return m
}

// The words of a version are read once, and those of a newer version with the first caller whose actor has it.
func TestWords(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	s := newServer(t)
	nobody := s.caller()
	if m := s.words(nobody); m != nil {
		t.Error("there are words before any were set")
	}
	s.add("pump")
	first := s.caller()
	if s.words(nobody) != nil || s.within(nobody) != nil {
		t.Error("words were read for a caller without words")
	}
	mutex, read := sync.Mutex{}, map[*alert.Matcher]bool{}
	wg := sync.WaitGroup{}
	for range 20 {
		wg.Go(func() {
			m := s.words(first)
			mutex.Lock()
			defer mutex.Unlock()
			read[m] = true
		})
	}
	wg.Wait()
	old := s.words(first)
	if len(read) != 1 || !read[old] || s.within(first) != old {
		t.Errorf("the words were read %d times", len(read))
	}

	s.add("valve")
	if s.words(first) != old {
		t.Error("words were read again for a caller with the old version")
	}
	second := s.caller()
	next := s.within(second)
	if next == old || s.words(second) != next || s.words(first) != next {
		t.Error("the newest words aren't cached")
	}
	if diff := cmp.Diff([]id.User{s.ann.ID}, next.Find("the valve")); diff != "" {
		t.Error(diff)
	}
	s.add("VALVE")
	if s.caller().Sending != second.Sending {
		t.Error("a change without effect created a version")
	}
}

// A caller whose context ends while it waits gets an error, and other callers aren't affected.
func TestWordsEnds(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	s := newServer(t)
	s.add("pump")
	who := s.caller()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := s.alerts.Words(ended, who); err == nil && len(m.Find("pump")) != 1 {
		t.Error("neither words nor an error")
	}
	if got := s.words(who).Find("pump"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}
