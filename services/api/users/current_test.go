package users_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// An account that loses permissions can't regain them before its requests are authenticated with its new role.
func TestRightsThatAreGone(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t) // changes of accounts aren't watched, so requests are authenticated with the previous state
	owner, second := w.Person("Olga", actor.Owner), w.Person("Odo", actor.Owner)
	admin, gone := w.Person("Ann", actor.Administrator), w.Person("Gil", actor.Administrator)
	robot := w.Bot("Robot", actor.GenericBot, owner)
	for _, known := range []servicetest.Account{second, admin, gone} {
		known.Do(http.MethodGet, "/users/me", nil).OK()
	}
	for _, lower := range []servicetest.Account{second, admin} {
		owner.Do(http.MethodPatch, at(lower), params{"role": 400}).OK()
	}
	owner.Do(http.MethodDelete, at(gone), nil).OK()

	second.Do(http.MethodPatch, at(second), params{"role": 100}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	second.Do(http.MethodDelete, at(owner), nil).Fails(400, "BAD_REQUEST", "Insufficient permission")
	admin.Do(http.MethodPatch, at(admin), params{"role": 200}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	admin.Do(http.MethodPost, "/users", params{"email": "mia@corp.example", "full_name": "Mia", "password": secret}).
		Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	admin.Do(http.MethodPost, "/bots/"+robot.ID.String()+"/api_key/regenerate", nil).Fails(400, "BAD_REQUEST", "Insufficient permission")
	gone.Do(http.MethodPost, at(gone)+"/reactivate", nil).Fails(401, "UNAUTHORIZED", "Account is deactivated")
	gone.Do(http.MethodPost, "/bots", params{"full_name": "Left", "short_name": "left"}).Fails(401, "UNAUTHORIZED", "Account is deactivated")
}

// A replaced key can't be used to replace the new one, to request another address, to add a device that is notified, or to set a password.
func TestKeyThatIsGone(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member := w.Person("Mia", actor.Member)
	member.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	session := signIn(member, member.RealEmail)
	session.Do(http.MethodGet, "/users/me", nil).OK()
	reply := struct {
		APIKey string `json:"api_key"`
	}{}
	member.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK().Decode(&reply)
	for _, ended := range []servicetest.Account{member, session} {
		ended.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).Fails(401, "UNAUTHORIZED", "Invalid API key")
		ended.Do(http.MethodPatch, "/settings", params{"email": "other@corp.example"}).Fails(401, "UNAUTHORIZED", "Invalid API key")
		ended.Do(http.MethodPost, "/users/me/push_devices", params{
			"endpoint": "https://push.example/1",
			"p256dh":   "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", // RFC 8291, section 5
			"auth":     "BTBZMqHH6r4Tts7J_aSIgg",
		}).Fails(401, "UNAUTHORIZED", "Invalid API key")
		ended.Do(http.MethodPost, "/users/me/android_gcm_reg_id", params{"token": "a"}).Fails(401, "UNAUTHORIZED", "Invalid API key")
	}
	bare := w.Person("Nia", actor.Member) // without a password, so none is needed to set one
	bare.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK()
	bare.Do(http.MethodPatch, "/settings", params{"new_password": secret}).Fails(401, "UNAUTHORIZED", "Invalid API key")
	member.Key = reply.APIKey
	member.Do(http.MethodGet, "/users/me", nil).OK()
	devices := struct {
		All []any `json:"push_devices"`
	}{}
	member.Do(http.MethodGet, "/users/me/push_devices", nil).OK().Decode(&devices)
	servicetest.Same(t, "devices that are notified", 0, len(devices.All))
	if letters := w.Letters(); len(letters) != 0 {
		t.Errorf("%+v", letters)
	}
}
