package users_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
)

func TestGet(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *org.Settings) { o.ThirdPartyAvatars = true })
	ada := s.person(s.acme, "ada", actor.Owner)
	bob := s.person(s.acme, "bob", actor.Guest)
	echo := s.create(s.acme, "echo", actor.Member, actor.GenericBot, 0)
	eve := s.person(s.other, "eve", actor.Owner)
	about, born := addProfile(s, s.acme, ada)
	s.exec("update users set avatar_source = 'U' where user_id = $1", bob.ID)
	s.exec("update users set active = false where user_id = $1", echo.ID)

	const hosted = "https://secure.gravatar.com/avatar/bb090e524276b67151ab5bbb0d786147?d=identicon&version=1"
	path := func(a account) string { return "/api/v1/users/" + number(a.ID) }
	s.get(bob, path(ada), http.StatusOK, success(map[string]any{"user": object(ada, map[string]any{"avatar_url": hosted})}))
	s.get(bob, path(ada)+"?client_hosted_avatar=true", http.StatusOK,
		success(map[string]any{"user": object(ada, map[string]any{"avatar_url": nil})}))
	s.get(bob, path(bob)+"?client_hosted_avatar=true", http.StatusOK, success(map[string]any{"user": object(bob, nil)}))
	s.get(bob, path(echo)+"?client_hosted_avatar=true&include_custom_profile_fields=true", http.StatusOK,
		success(map[string]any{"user": object(echo, map[string]any{
			"is_active": false, "bot_type": 1.0, "bot_owner_id": nil, "avatar_url": nil,
		})}))
	s.get(bob, path(ada)+"?include_custom_profile_fields=true", http.StatusOK,
		success(map[string]any{"user": object(ada, map[string]any{"avatar_url": hosted, "profile_data": map[string]any{
			about: map[string]any{"value": "*me*", "rendered_value": "<p><em>me</em></p>"},
			born:  map[string]any{"value": "1815-12-10"},
		}})}))

	unknown := map[string]any{"result": "error", "code": "BAD_REQUEST", "msg": "No such user"}
	s.get(bob, path(eve), http.StatusBadRequest, unknown)
	s.get(eve, path(ada), http.StatusBadRequest, unknown)
	s.get(ada, "/api/v1/users/999999999", http.StatusBadRequest, unknown)
}

// The notification bot can be looked up, although it is in no list.
func TestGetNotificationBot(t *testing.T) {
	t.Parallel()
	s := newServer(t, nothing)
	ada := s.person(s.acme, "ada", actor.Owner)
	s.get(ada, "/api/v1/users", http.StatusOK, success(map[string]any{"members": []any{object(ada, nil)}}))
	bot := account{User: systemBot(s, s.acme)}
	s.get(ada, "/api/v1/users/"+number(bot.ID), http.StatusOK, success(map[string]any{"user": object(bot, map[string]any{
		"bot_type": 1.0, "bot_owner_id": nil, "is_cross_realm_bot": true, "timezone": "", "full_name": "Notification Bot",
	})}))
}
