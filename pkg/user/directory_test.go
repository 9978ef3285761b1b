package user_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/pkg/yield"
)

// list returns the accounts for a viewer in GET /users, and whether they were read.
func (s *server) list(users *user.Service, viewer actor.Actor, options user.Options) (found []event.UserObject, read bool) {
	s.t.Helper()
	text, err := users.List(s.t.Context(), viewer, options, func() error {
		read = true
		return nil
	})
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return found, read
}

// The next list contains all changes by any process. An unchanged list isn't read again.
func TestListsAreCurrent(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Owner)
	bob, _ := s.person(s.acme, "bob", actor.Member)
	s.exec("insert into profile_fields (org_id, field_id, name, type, position) values ($1, 1, 'Phone', 1, 1)", s.acme.ID)
	viewer, options := ada.Actor(s.acme, nil), user.Options{Profiles: true}
	processes := []*user.Service{s.users, user.New(s.db, s.orgs, s.clock.Now)}
	for _, p := range processes {
		s.list(p, viewer, options)
		if _, read := s.list(p, viewer, options); read {
			t.Error("a list that nothing changed was read again")
		}
	}
	sql := func(statement string) func() {
		return func() { s.exec(statement, s.acme.ID, bob.ID) }
	}
	of := func(in []event.UserObject) event.UserObject {
		return in[slices.IndexFunc(in, func(u event.UserObject) bool { return u.UserID == bob.ID })]
	}
	for _, change := range []struct {
		name  string
		make  func()
		shows func(in []event.UserObject) bool
	}{
		{"name", sql("update users set full_name = 'Robert' where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return of(in).FullName == "Robert" }},
		{"address", sql("update users set email = 'rob@corp.example' where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return of(in).Email == "rob@corp.example" }},
		{"role", sql("update users set role = 200 where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return of(in).IsAdmin }},
		{"picture", sql("update users set avatar_version = 7 where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return of(in).AvatarVersion == 7 }},
		{"time zone", sql("update users set timezone = 'Europe/Paris' where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return of(in).Timezone != "" }},
		{"deactivated", sql("update users set active = false where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return !*of(in).IsActive }},
		{"profile", sql("insert into profile_values (org_id, user_id, field_id, value) values ($1, $2, 1, '112')"), func(in []event.UserObject) bool { return len(of(in).ProfileData) == 1 }},
		{"no profile", sql("delete from profile_values where org_id = $1 and user_id = $2"), func(in []event.UserObject) bool { return len(of(in).ProfileData) == 0 }},
		{"profile again", sql("insert into profile_values (org_id, user_id, field_id, value) values ($1, $2, 1, '112')"), func(in []event.UserObject) bool { return len(of(in).ProfileData) == 1 }},
		{"no field", sql("update profile_fields set removed = true where org_id = $1 and $2 > 0"), func(in []event.UserObject) bool { return len(of(in).ProfileData) == 0 }},
		{"settings", func() {
			s.exec(`update organizations set settings = settings || '{"email_address_visibility": 3}' where org_id = $1`, s.acme.ID)
		}, func(in []event.UserObject) bool { return of(in).DeliveryEmail == "rob@corp.example" }},
		{"another", func() { s.person(s.acme, "eve", actor.Guest) }, func(in []event.UserObject) bool { return len(in) == 3 }},
	} {
		change.make()
		for i, p := range processes {
			if found, read := s.list(p, viewer, options); !read || !change.shows(found) {
				t.Errorf("%s, process %d: read: %v, %+v", change.name, i, read, found)
			}
		}
	}
	s.person(s.other, "mallory", actor.Member)
	s.exec("update users set read_upto = 5, settings = '{}', timezone = timezone where org_id = $1", s.acme.ID)
	if _, read := s.list(s.users, viewer, options); read {
		t.Error("it was read again after a change that it doesn't show")
	}
	// Members see less than administrators.
	found, read := s.list(s.users, bob.Actor(s.acme, nil), options)
	if !read || of(found).DeliveryEmail != "" {
		t.Errorf("a member sees %+v, read: %v", of(found), read)
	}
	refused := errors.New("refused")
	if _, err := s.users.List(t.Context(), viewer, user.Options{}, func() error { return refused }); !errors.Is(err, refused) {
		t.Error("a list that isn't cached was read although that was refused:", err)
	}
}

// A list is read completely and cached even if its caller has left.
func TestListsOfCallersWhoGo(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Owner)
	s.exec(`insert into users (org_id, email, full_name) select $1, 'more' || i || '@corp.example', 'More ' || i
		from generate_series(1, $2::int) i`, s.acme.ID, user.Portion)
	ctx, leave := context.WithCancel(t.Context())
	rests := 0
	_, err := s.users.List(yield.With(ctx, func() {
		rests++
		leave()
	}), ada.Actor(s.acme, nil), user.Options{}, func() error { return nil })
	if rests != 1 {
		t.Errorf("%d rests, %v", rests, err)
	}
	if found, read := s.list(s.users, ada.Actor(s.acme, nil), user.Options{}); read || len(found) != user.Portion+1 {
		t.Errorf("read again: %v, %d accounts", read, len(found))
	}
}

// Uncommitted changes are in no list, don't wait for each other, and leave few rows behind.
func TestChangesOfPeopleDoNotWait(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Owner)
	viewer := ada.Actor(s.acme, nil)
	s.list(s.users, viewer, user.Options{})
	open := func(name string) (end func(how string)) {
		session := storetest.Connect(t, s.url)
		session.Exec("begin")
		session.Exec("set local lock_timeout = '5s'")
		session.Exec("insert into users (org_id, email, full_name) values ($1, $2 || '@corp.example', $2)", s.acme.ID, name)
		return func(how string) { session.Exec(how) }
	}
	bob, eve, kim := open("bob"), open("eve"), open("kim")
	if found, read := s.list(s.users, viewer, user.Options{}); read || len(found) != 1 {
		t.Errorf("while three are open: %d accounts, read: %v", len(found), read)
	}
	eve("commit")
	kim("rollback")
	names := func() (names []string) {
		found, read := s.list(s.users, viewer, user.Options{})
		if !read {
			t.Error("a list from before a commit was used")
		}
		for _, u := range found {
			names = append(names, u.FullName)
		}
		return names
	}
	if got := names(); !slices.Equal(got, []string{"ada Test", "eve"}) {
		t.Error(got)
	}
	bob("commit")
	if got := names(); len(got) != 3 {
		t.Error(got)
	}
	for range 20 {
		s.exec("update users set avatar_version = avatar_version + 1 where org_id = $1", s.acme.ID)
	}
	if rows := storetest.Values[int](storetest.Connect(t, s.url), "select count(*)::int from people_changes where org_id = $1", s.acme.ID)[0]; rows != 1 {
		t.Errorf("%d rows after all is done", rows)
	}
}

// A snapshot gets the lists of its own time, even if later ones are cached.
func TestListsOfSnapshots(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Owner)
	names := func(ctx context.Context, tx *store.Tx) (names []string) {
		lists, err := s.users.Lists(ctx, tx, s.acme, ada.Role, user.Form{Initial: true})
		found := []event.UserObject{}
		if err == nil {
			err = json.Unmarshal(lists.Members, &found)
		}
		if err != nil {
			t.Error(err)
		}
		for _, u := range found {
			names = append(names, u.FullName)
		}
		return names
	}
	now := func() (got []string) {
		err := s.db.Snapshot(t.Context(), s.acme.ID, func(tx *store.Tx, _ store.Snapshot) error {
			got = names(t.Context(), tx)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	err := s.db.Snapshot(t.Context(), s.acme.ID, func(tx *store.Tx, _ store.Snapshot) error {
		s.exec("update users set full_name = 'Countess' where org_id = $1 and user_id = $2", s.acme.ID, ada.ID)
		if got := now(); !slices.Equal(got, []string{"Countess"}) {
			t.Error("now:", got)
		}
		if got := names(t.Context(), tx); !slices.Equal(got, []string{"ada Test"}) {
			t.Error("in a snapshot of before:", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := now(); !slices.Equal(got, []string{"Countess"}) {
		t.Error("after a list of before was read:", got)
	}
}
