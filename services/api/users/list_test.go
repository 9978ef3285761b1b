package users_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
)

func TestList(t *testing.T) {
	t.Parallel()
	s := newServer(t, nothing)
	ada := s.person(s.acme, "ada", actor.Owner)
	bob := s.person(s.acme, "bob", actor.Guest)
	echo := s.create(s.acme, "echo", actor.Member, actor.GenericBot, ada.ID)
	gone := s.person(s.acme, "gone", actor.Member)
	eve := s.person(s.other, "eve", actor.Owner)
	s.exec("update users set active = false where user_id = $1", gone.ID)

	bot := map[string]any{"bot_type": 1.0, "bot_owner_id": float64(ada.ID)}
	want := success(map[string]any{"members": []any{
		object(ada, nil), object(bob, nil), object(echo, bot), object(gone, map[string]any{"is_active": false}),
	}})
	for _, as := range []account{ada, bob, echo} {
		s.get(as, "/api/v1/users", http.StatusOK, want)
		s.get(as, "/api/v1/users?client_hosted_avatar=true&include_custom_profile_fields=false", http.StatusOK, want)
	}
	s.get(eve, "/api/v1/users", http.StatusOK, success(map[string]any{"members": []any{object(eve, nil)}}))
	s.get(ada, "/api/v1/users?client_hosted_avatar=yes", http.StatusBadRequest, map[string]any{
		"result": "error", "code": "BAD_REQUEST", "msg": `Argument "client_hosted_avatar" is not valid JSON.`,
	})
}

func TestListWithProfiles(t *testing.T) {
	t.Parallel()
	s := newServer(t, nothing)
	ada := s.person(s.acme, "ada", actor.Owner)
	bob := s.person(s.acme, "bob", actor.Member)
	echo := s.create(s.acme, "echo", actor.Member, actor.GenericBot, ada.ID)
	eve := s.person(s.other, "eve", actor.Owner)
	about, born := addProfile(s, s.acme, ada)
	addProfile(s, s.other, eve)
	want := success(map[string]any{"members": []any{
		object(ada, map[string]any{"profile_data": map[string]any{
			about: map[string]any{"value": "*me*", "rendered_value": "<p><em>me</em></p>"},
			born:  map[string]any{"value": "1815-12-10"},
		}}),
		object(bob, map[string]any{"profile_data": map[string]any{}}),
		object(echo, map[string]any{"bot_type": 1.0, "bot_owner_id": float64(ada.ID)}),
	}})
	s.get(bob, "/api/v1/users?include_custom_profile_fields=true", http.StatusOK, want)
}

// addProfile creates two fields with an answer each, and returns their ids.
func addProfile(s *server, o org.Org, a account) (about, born string) {
	s.t.Helper()
	ids := storetest.Values[string](storetest.Connect(s.t, s.url), `with fields as (
			insert into profile_fields (org_id, name, type, hint, field_data, position)
			values ($1, 'About', $2, '', '', 1), ($1, 'Born', $3, '', '', 2) returning field_id, name
		), answers as (
			insert into profile_values (org_id, user_id, field_id, value, rendered)
			select $1, $4, field_id, case name when 'About' then '*me*' else '1815-12-10' end, case name when 'About' then '<p><em>me</em></p>' end from fields
		)
		select field_id::text from fields order by name`, o.ID, user.LongText, user.Date, a.ID)
	return ids[0], ids[1]
}

func TestListHidesAddresses(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *org.Settings) { o.EmailAddressVisibility = org.EmailsForAdmins })
	ada := s.person(s.acme, "ada", actor.Administrator)
	bob := s.person(s.acme, "bob", actor.Member)
	hidden := func(a account) map[string]any {
		return map[string]any{"email": "user" + number(a.ID) + "@chat.example"}
	}
	known := func(a account) map[string]any {
		h := hidden(a)
		h["delivery_email"] = a.RealEmail
		return h
	}
	s.get(ada, "/api/v1/users", http.StatusOK, success(map[string]any{"members": []any{object(ada, known(ada)), object(bob, known(bob))}}))
	s.get(bob, "/api/v1/users", http.StatusOK, success(map[string]any{"members": []any{object(ada, hidden(ada)), object(bob, hidden(bob))}}))
}
