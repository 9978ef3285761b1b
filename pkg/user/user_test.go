package user_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		visibility   int
		hidden       bool
		toAdmin      string // delivery_email for an administrator
		hostedAvatar bool   // whether it is possible
	}{
		{org.EmailsForEveryone, false, "", true},
		{org.EmailsForAdmins, true, "ada@corp.example", false},
		{org.EmailsForNobody, true, "", false},
	} {
		o := org.Org{Domain: "chat.example", Settings: org.Defaults()}
		o.Settings.EmailAddressVisibility = c.visibility
		o.Settings.ThirdPartyAvatars = true
		ada := user.User{ID: 7, RealEmail: "ada@corp.example", Role: actor.Member, AvatarSource: "G", AvatarVersion: 2}
		bot := user.User{ID: 8, RealEmail: "b-bot@chat.example", Bot: actor.GenericBot, AvatarSource: "G", AvatarVersion: 1}
		want := "ada@corp.example"
		if c.hidden {
			want = "user7@chat.example"
		}
		for viewer, delivery := range map[actor.Role]string{actor.Owner: c.toAdmin, actor.Administrator: c.toAdmin, actor.Member: "", actor.Guest: ""} {
			object := user.View{Org: o, Viewer: viewer}.Object(ada)
			if object.Email != want || object.DeliveryEmail != delivery {
				t.Errorf("visibility %d, viewer %d: %q, %q; want %q, %q",
					c.visibility, viewer, object.Email, object.DeliveryEmail, want, delivery)
			}
		}
		if got := user.DisplayEmail(o, bot); got != bot.RealEmail {
			t.Errorf("visibility %d: bot has %q", c.visibility, got)
		}
		object := user.View{Org: o, HostedAvatar: true}.Object(ada)
		if (object.AvatarURL == nil) != c.hostedAvatar {
			t.Errorf("visibility %d: avatar %v for a client that makes it up", c.visibility, object.AvatarURL)
		}
	}
}

func TestAvatarURL(t *testing.T) {
	t.Parallel()
	o := org.Org{Settings: org.Defaults()}
	ada := user.User{ID: 7, RealEmail: "Ada@corp.example", AvatarSource: "G", AvatarVersion: 2}
	if got := user.AvatarURL(o, ada); got != "/avatar/7?v=2" {
		t.Errorf("generated: %s", got)
	}
	if got := user.AvatarURLMedium(o, ada); got != "/avatar/7?v=2&size=medium" {
		t.Errorf("generated, medium: %s", got)
	}
	o.Settings.ThirdPartyAvatars = true
	if got, want := user.AvatarURL(o, ada), "https://secure.gravatar.com/avatar/bb090e524276b67151ab5bbb0d786147?d=identicon&version=2"; got != want {
		t.Errorf("hosted: %s, want %s", got, want)
	}
	lower := ada
	lower.RealEmail = "ada@corp.example"
	if user.AvatarURL(o, ada) != user.AvatarURL(o, lower) {
		t.Error("the letter case of the address counts")
	}
	ada.AvatarSource = "U"
	if got := user.AvatarURL(o, ada); got != "/avatar/7?v=2" {
		t.Errorf("uploaded: %s", got)
	}
}

func TestFindByAddress(t *testing.T) {
	t.Parallel()
	for _, visibility := range []int{org.EmailsForEveryone, org.EmailsForAdmins} {
		s := newServer(t, func(o *org.Settings) { o.EmailAddressVisibility = visibility })
		ada, _ := s.person(s.acme, "ada", actor.Member)
		bot, _ := s.bot(s.acme, "echo", ada.ID)
		eve, _ := s.person(s.other, "eve", actor.Member)
		fake := func(u user.User) string { return "User" + number(u.ID) + "@chat.example" }
		asked := []string{"ADA@corp.example ", fake(ada), "echo-bot@chat.example", "eve@corp.example", fake(eve), "user0@chat.example", "x"}
		want := map[string]id.User{"ADA@corp.example ": ada.ID, "echo-bot@chat.example": bot.ID}
		if visibility != org.EmailsForEveryone {
			want = map[string]id.User{fake(ada): ada.ID, "echo-bot@chat.example": bot.ID}
		}
		s.write(s.acme, func(tx *store.Tx) error {
			found, err := user.ByEmails(t.Context(), tx, s.acme, asked)
			got := map[string]id.User{}
			for email, u := range found {
				got[email] = u.ID
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("visibility %d (-want +got):\n%s", visibility, diff)
			}
			return err
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Member)
	for name, c := range map[string]struct {
		draft user.Draft
		want  error
	}{
		"address in use": {user.Draft{RealEmail: "Ada@CORP.example", FullName: "Other", Role: actor.Member}, user.ErrEmailInUse},
		"bad name":       {user.Draft{RealEmail: "b@corp.example", FullName: "x", Role: actor.Member}, user.ErrNameTooShort},
		"bot with a name in use": {user.Draft{
			RealEmail: "c@corp.example", FullName: "ADA test", Role: actor.Member, Bot: actor.GenericBot, Owner: ada.ID,
		}, user.ErrNameInUse},
	} {
		err := s.db.Write(t.Context(), s.acme.ID, func(tx *store.Tx) error {
			_, _, err := s.users.Create(t.Context(), tx, s.acme, c.draft)
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := user.ErrEmailInUse.Format("a@b.example").Msg; got != "Email 'a@b.example' already in use" {
		t.Errorf("text: %s", got)
	}
	// Two people may have the same name, and two accounts in different organizations the same address.
	s.create(s.acme, user.Draft{RealEmail: "ada2@corp.example", FullName: "ada Test", Role: actor.Member})
	s.person(s.other, "ada", actor.Member)
}

// logged is an event in the log.
type logged struct {
	Payload, Audience, Change string
}

func (s *server) events(o org.Org) []logged {
	s.t.Helper()
	return storetest.Rows[logged](storetest.Connect(s.t, s.url),
		"select payload, audience, coalesce(change, '') from event_log where org_id = $1 order by xid, id", o.ID)
}

func TestCreateNotifies(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *org.Settings) { o.EmailAddressVisibility = org.EmailsForAdmins })
	ada, _ := s.person(s.acme, "ada", actor.Owner)
	bot, _ := s.bot(s.acme, "echo", ada.ID)
	a, b := number(ada.ID), number(bot.ID)
	want := []logged{
		{
			`{"type":"realm_user","op":"add","person":{"user_id":` + a + `,"email":"user` + a + `@chat.example","full_name":"ada Test",` +
				`"is_admin":true,"is_owner":true,"is_guest":false,"is_bot":false,"is_active":true,"timezone":"",` +
				`"date_joined":"2026-03-01T12:00:00.123456+00:00","avatar_version":1,"avatar_url":"/avatar/` + a + `?v=1","bot_type":null,"profile_data":{}}}`,
			`{"everyone":true}`,
			`{"accounts":[{"user":` + a + `,"after":{"role":100,"active":true}}]}`,
		},
		{
			`{"type":"realm_user","op":"update","person":{"user_id":` + a + `,"delivery_email":"ada@corp.example"}}`,
			`{"admins":true}`, "",
		},
		{
			`{"type":"realm_user","op":"add","person":{"user_id":` + b + `,"email":"echo-bot@chat.example","full_name":"echo Bot",` +
				`"is_admin":false,"is_owner":false,"is_guest":false,"is_bot":true,"is_active":true,"timezone":"",` +
				`"date_joined":"2026-03-01T12:00:00.123456+00:00","avatar_version":1,"avatar_url":"/avatar/` + b + `?v=1","bot_type":1,"bot_owner_id":` + a + `}}`,
			`{"everyone":true}`,
			`{"accounts":[{"user":` + b + `,"after":{"role":400,"bot":1,"active":true}}]}`,
		},
		{
			`{"type":"realm_user","op":"update","person":{"user_id":` + b + `,"delivery_email":"echo-bot@chat.example"}}`,
			`{"admins":true}`, "",
		},
		{
			`{"type":"realm_bot","op":"add","bot":{"user_id":` + b + `,"bot_type":1,"email":"echo-bot@chat.example","full_name":"echo Bot",` +
				`"is_active":true,"default_sending_stream":null,"default_events_register_stream":null,"default_all_public_streams":false,` +
				`"avatar_url":"/avatar/` + b + `?v=1","owner_id":` + a + `,"services":[]}}`,
			`{"admins":true,"users":[` + a + `]}`, "",
		},
	}
	if diff := cmp.Diff(want, s.events(s.acme)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if others := s.events(s.other); len(others) != 0 {
		t.Errorf("another organization's log has %v", others)
	}
}

func TestISOTime(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]event.ISOTime{
		`"2026-03-01T12:00:00.123456+00:00"`: event.ISOTime(start),
		`"2026-03-01T12:00:00+00:00"`:        event.ISOTime(start.Truncate(time.Second)),
	} {
		got, err := json.Marshal(at)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		back := event.ISOTime{}
		if err := json.Unmarshal(got, &back); err != nil || !time.Time(back).Equal(time.Time(at)) {
			t.Errorf("read back %v, %v", time.Time(back), err)
		}
	}
}
