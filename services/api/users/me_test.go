package users_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
)

func TestMe(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *org.Settings) { o.EmailAddressVisibility = org.EmailsForAdmins })
	ada := s.person(s.acme, "ada", actor.Administrator)
	bob := s.person(s.acme, "bob", actor.Guest)
	echo := s.create(s.acme, "echo", actor.Member, actor.GenericBot, ada.ID)
	about, born := addProfile(s, s.acme, ada)
	s.get(ada, "/api/v1/users/me", http.StatusOK, success(own(ada, map[string]any{
		"email": "user" + number(ada.ID) + "@chat.example", "delivery_email": ada.RealEmail, "max_message_id": -1.0,
		"profile_data": map[string]any{
			about: map[string]any{"value": "*me*", "rendered_value": "<p><em>me</em></p>"},
			born:  map[string]any{"value": "1815-12-10"},
		},
	})))
	s.exec(`insert into streams (org_id, stream_id, name) values ($1, 9001, 'one')`, s.acme.ID)
	s.exec(storetest.InsertMessages("select $1::bigint as org_id, n as message_id, 1 as sender_id, 9001 as stream_id from generate_series(41, 42) n"), s.acme.ID)
	s.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9001, $2, '#fff', '{[42,)}')`, s.acme.ID, bob.ID)
	s.get(bob, "/api/v1/users/me", http.StatusOK, success(own(bob, map[string]any{
		"email": "user" + number(bob.ID) + "@chat.example", "max_message_id": 42.0, "profile_data": map[string]any{},
	})))
	s.get(echo, "/api/v1/users/me", http.StatusOK, success(object(echo, map[string]any{
		"bot_type": 1.0, "bot_owner_id": float64(ada.ID), "max_message_id": -1.0, "profile_data": map[string]any{},
	})))
	stranger := account{host: ada.host, key: "x"}
	s.get(stranger, "/api/v1/users/me", http.StatusUnauthorized, map[string]any{
		"result": "error", "code": "UNAUTHORIZED", "msg": "Malformed API key",
	})
}

// own is like object for the caller's own account, in which people have no bot_type.
func own(a account, more map[string]any) map[string]any {
	made := object(a, more)
	delete(made, "bot_type")
	return made
}
