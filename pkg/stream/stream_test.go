package stream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// world is an organization with some accounts and streams.
type world struct {
	db      *store.DB
	service *stream.Service
	users   *user.Service
	org     org.Org
	actors  map[string]actor.Actor
	streams map[string]id.Stream
}

// silent is a notification bot that sends nothing.
type silent struct{}

func (silent) ToStream(context.Context, *store.Tx, id.Stream, catalogue.StreamNotice, ...id.User) error {
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := storetest.Open(t)
	orgs := org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now)
	w := &world{
		db: db, service: stream.New(db, orgs, markdown.New(markdown.Config{}), silent{}, time.Now), users: user.New(db, orgs, time.Now),
		actors: map[string]actor.Actor{}, streams: map[string]id.Stream{},
	}
	for _, subdomain := range []string{"other", "acme"} {
		var err error
		w.org, err = orgs.Create(t.Context(), org.Draft{Subdomain: subdomain, Name: subdomain, Settings: org.Defaults()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.join(t, subdomain+" owner", actor.Owner, nil)
		w.create(t, subdomain+" public", stream.Settings{PostPolicy: permit.PostAnyone})
	}
	w.join(t, "admin", actor.Administrator, nil)
	w.join(t, "ann", actor.Member, nil)
	w.join(t, "bob", actor.Member, nil)
	w.join(t, "guest", actor.Guest, nil)
	ann := user.User{ID: w.actors["ann"].User, Role: actor.Member}
	w.join(t, "robot", actor.Member, &ann)
	w.create(t, "Vault", stream.Settings{PostPolicy: permit.PostAdmins, InviteOnly: true})
	w.create(t, "team", stream.Settings{PostPolicy: permit.PostAnyone}, "ann", "guest")
	w.create(t, "ann's", stream.Settings{PostPolicy: permit.PostAnyone, InviteOnly: true}, "ann", "guest")
	w.create(t, "left", stream.Settings{PostPolicy: permit.PostAnyone, InviteOnly: true}, "ann", "guest")
	w.write(t, func(tx *store.Tx) error {
		left := int64(w.streams["left"])
		return tx.Unsubscribe(t.Context(), []int64{left, left}, []int64{int64(ann.ID), int64(w.actors["guest"].User)})
	})
	w.create(t, "start", stream.Settings{PostPolicy: permit.PostAnyone})
	w.write(t, func(tx *store.Tx) error { return tx.SetDefaultStream(t.Context(), true, w.streams["start"]) })
	return w
}

func (w *world) join(t *testing.T, name string, role actor.Role, owner *user.User) {
	t.Helper()
	w.write(t, func(tx *store.Tx) error {
		draft := user.Draft{RealEmail: fmt.Sprintf("u%d@acme.example", len(w.actors)), FullName: name, Role: role}
		if owner != nil {
			draft.Bot, draft.Owner = actor.GenericBot, owner.ID
		}
		made, _, err := w.users.Create(t.Context(), tx, w.org, draft)
		w.actors[name] = made.Actor(w.org, owner)
		return err
	})
}

func (w *world) create(t *testing.T, name string, settings stream.Settings, subscribers ...string) {
	t.Helper()
	w.write(t, func(tx *store.Tx) error {
		drafts := []stream.Draft{{Name: name}}
		made, err := stream.Create(t.Context(), tx, markdown.New(markdown.Config{}), markdown.Context{}, drafts, settings)
		if err != nil {
			return err
		}
		w.streams[name] = made[0].StreamID
		for _, who := range subscribers {
			_, err := tx.Subscribe(t.Context(), []int64{int64(made[0].StreamID)}, []int64{int64(w.actors[who].User)}, []string{"#fff"})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *world) write(t *testing.T, work func(tx *store.Tx) error) {
	t.Helper()
	if err := w.db.Write(t.Context(), w.org.ID, work); err != nil {
		t.Fatal(err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	public := []string{"acme public", "start", "team"}
	for _, test := range []struct {
		who    string
		filter stream.Filter
		want   []string
	}{
		{"ann", stream.Filter{}, nil},
		{"ann", stream.Filter{Public: true}, public},
		{"ann", stream.Filter{Subscribed: true}, []string{"ann's", "team"}},
		{"ann", stream.Filter{Public: true, Subscribed: true}, []string{"acme public", "ann's", "start", "team"}},
		{"ann", stream.Filter{Default: true}, []string{"start"}},
		{"ann", stream.Filter{WebPublic: true}, nil},
		{"ann", stream.Filter{OwnerSubscribed: true}, nil},
		{"robot", stream.Filter{Subscribed: true}, nil},
		{"robot", stream.Filter{OwnerSubscribed: true}, []string{"ann's", "team"}},
		{"guest", stream.Filter{Public: true, Default: true}, nil},
		{"guest", stream.Filter{Public: true, Subscribed: true}, []string{"ann's", "team"}},
		{"admin", stream.Filter{Public: true, Subscribed: true}, public},
		{"admin", stream.Filter{All: true}, []string{"Vault", "acme public", "ann's", "left", "start", "team"}},
		{"acme owner", stream.Filter{All: true}, []string{"Vault", "acme public", "ann's", "left", "start", "team"}},
		{"other owner", stream.Filter{All: true}, []string{"other public"}},
	} {
		found, err := w.service.List(t.Context(), w.actors[test.who], test.filter)
		if err != nil {
			t.Fatal(err)
		}
		got := []string(nil)
		for _, s := range found {
			got = append(got, s.Name)
			if s.IsDefault != (s.Name == "start") {
				t.Errorf("%s: is_default is %v", s.Name, s.IsDefault)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, %+v (-want +got):\n%s", test.who, test.filter, diff)
		}
	}
	for _, who := range []string{"ann", "guest", "robot"} {
		if _, err := w.service.List(t.Context(), w.actors[who], stream.Filter{All: true}); !errors.Is(err, stream.ErrNotForAll) {
			t.Errorf("%s lists all streams: %v", who, err)
		}
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		who, stream         string
		ordinary, forAdmins bool
	}{
		{"ann", "team", true, true},
		{"bob", "team", true, true},
		{"bob", "ann's", false, false},
		{"ann", "ann's", true, true},
		{"guest", "ann's", true, true},
		{"guest", "team", true, true},
		{"guest", "start", false, false},
		{"robot", "ann's", false, false}, // the owner's access isn't the bot's
		{"admin", "Vault", false, true},
		{"acme owner", "Vault", false, true},
		{"ann", "Vault", false, false},
		{"ann", "left", false, false},
		{"guest", "left", false, false},
		{"ann", "other public", false, false},
		{"admin", "other public", false, false},
	} {
		t.Run(test.who+" and "+test.stream, func(t *testing.T) {
			t.Parallel()
			w.write(t, func(tx *store.Tx) error {
				who := w.actors[test.who]
				expect(t, "by id", test.ordinary, stream.ErrInvalidID, "Invalid stream id")(stream.ByID(t.Context(), tx, who, w.streams[test.stream]))
				expect(t, "for administrators", test.forAdmins, stream.ErrInvalidID, "Invalid stream id")(
					stream.ByIDForAdmin(t.Context(), tx, who, w.streams[test.stream]))
				name := " " + test.stream
				expect(t, "by name", test.ordinary, stream.ErrInvalidName, "Invalid stream name '"+name+"'")(
					stream.ByName(t.Context(), tx, who, name))
				return nil
			})
		})
	}
	w.write(t, func(tx *store.Tx) error {
		seen, err := stream.ByName(t.Context(), tx, w.actors["ann"], "TEAM")
		if err != nil || seen.Name != "team" || !seen.Subscribed {
			t.Errorf("by a name in capitals: %+v, %v", seen, err)
		}
		expect(t, "unknown id", false, stream.ErrInvalidID, "Invalid stream id")(stream.ByIDForAdmin(t.Context(), tx, w.actors["admin"], 999))
		return nil
	})
}

func expect(t *testing.T, what string, found bool, want error, msg string) func(stream.Visible, error) {
	t.Helper()
	return func(_ stream.Visible, err error) {
		t.Helper()
		switch {
		case found && err != nil:
			t.Errorf("%s: %v", what, err)
		case !found && (!errors.Is(err, want) || err.Error() != msg):
			t.Errorf("%s: got the error %v, want %q", what, err, msg)
		}
	}
}

func TestDeactivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct{ who, stream string }{{"ann", "team"}, {"ann", "ann's"}, {"guest", "team"}, {"admin", "other public"}} {
		err := w.service.Deactivate(t.Context(), w.actors[test.who], w.streams[test.stream])
		if !errors.Is(err, stream.ErrInvalidID) {
			t.Errorf("%s deactivates %q: %v", test.who, test.stream, err)
		}
	}
	log := w.db.Log()
	end := store.Position{}
	read := func() []store.LogEntry {
		for {
			entries, more, err := log.Read(t.Context(), w.db.Shard(w.org.ID), end, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if more {
				continue
			}
			end = entries[len(entries)-1].Position
			return entries
		}
	}
	read()
	for _, name := range []string{"team", "ann's", "start"} {
		if err := w.service.Deactivate(t.Context(), w.actors["admin"], w.streams[name]); err != nil {
			t.Fatal(err)
		}
		again := w.service.Deactivate(t.Context(), w.actors["admin"], w.streams[name])
		if !errors.Is(again, stream.ErrInvalidID) || fault.Of(again).Msg != "Invalid stream id" {
			t.Errorf("deactivating %q again returns %v", name, again)
		}
	}
	type recorded struct {
		Payload  string
		Audience event.Audience
		Change   *event.Change
	}
	object := func(n id.Stream, name string, private bool) string {
		return fmt.Sprintf(`{"stream_id":%d,"name":"%s","description":"","rendered_description":"","invite_only":%v,`+
			`"is_web_public":false,"stream_post_policy":1,"history_public_to_subscribers":%v,"first_message_id":null,`+
			`"message_retention_days":null,"is_announcement_only":false}`, n, name, private, !private)
	}
	team, anns, start := w.streams["team"], w.streams["ann's"], w.streams["start"]
	ended := func(s id.Stream) *event.Change {
		return &event.Change{Unsubscribed: []event.Membership{{Stream: s, User: w.actors["ann"].User}, {Stream: s, User: w.actors["guest"].User}}}
	}
	want := []recorded{
		{`{"type":"stream","op":"delete","streams":[` + object(team, "team", false) + `]}`, event.Audience{NonGuests: true, Subscribers: team}, ended(team)},
		{`{"type":"stream","op":"delete","streams":[` + object(anns, "ann's", true) + `]}`, event.Audience{Admins: true, Subscribers: anns}, ended(anns)},
		{`{"type":"default_streams","default_streams":[]}`, event.Audience{NonGuests: true}, nil},
		{`{"type":"stream","op":"delete","streams":[` + object(start, "start", false) + `]}`, event.Audience{NonGuests: true, Subscribers: start}, nil},
	}
	got := []recorded{}
	for _, entry := range read() {
		got = append(got, recorded{entry.Payload, entry.Audience, entry.Change})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	found, err := w.service.List(t.Context(), w.actors["admin"], stream.Filter{All: true})
	if err != nil || len(found) != 3 {
		t.Errorf("%d streams are left: %v", len(found), err)
	}
	w.create(t, "team", stream.Settings{PostPolicy: permit.PostAnyone}) // the name is free again
}

func TestFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		who, name string
		want      stream.Facts
	}{
		{"ann", "VAULT", stream.Facts{
			PostTarget: permit.PostTarget{Name: "Vault", InviteOnly: true, Policy: permit.PostAdmins}, ID: w.streams["Vault"], Version: 1,
		}},
		{"ann", "team", stream.Facts{
			PostTarget: permit.PostTarget{Name: "team", Policy: permit.PostAnyone, SenderSubscribed: true},
			ID:         w.streams["team"], Version: 1, Occupied: true,
		}},
		{"robot", "team", stream.Facts{
			PostTarget: permit.PostTarget{Name: "team", Policy: permit.PostAnyone, OwnerSubscribed: true},
			ID:         w.streams["team"], Version: 1, Occupied: true,
		}},
		{"ann", "left", stream.Facts{
			PostTarget: permit.PostTarget{Name: "left", InviteOnly: true, Policy: permit.PostAnyone}, ID: w.streams["left"], Version: 1,
		}},
		{"robot", "left", stream.Facts{
			PostTarget: permit.PostTarget{Name: "left", InviteOnly: true, Policy: permit.PostAnyone}, ID: w.streams["left"], Version: 1,
		}},
	} {
		w.write(t, func(tx *store.Tx) error {
			byName, err := stream.FactsByName(t.Context(), tx, w.actors[test.who], test.name)
			if err != nil {
				return err
			}
			byID, err := stream.FactsByID(t.Context(), tx, w.actors[test.who], test.want.ID)
			if diff := cmp.Diff([]stream.Facts{test.want, test.want}, []stream.Facts{byName, byID}); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", test.who, test.name, diff)
			}
			return err
		})
	}
	w.write(t, func(tx *store.Tx) error {
		_, byName := stream.FactsByName(t.Context(), tx, w.actors["ann"], "other public")
		_, byID := stream.FactsByID(t.Context(), tx, w.actors["ann"], w.streams["other public"])
		if !store.IsNotFound(byName) || !store.IsNotFound(byID) {
			t.Errorf("another organization's stream: %v, %v", byName, byID)
		}
		return nil
	})
}
