package bots_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestChange(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	member.Subscribe("hall")
	bot := made(w, member, "out", params{"bot_type": 3, "payload_url": "http://one.example/"})
	hook := made(w, member, "hook", params{"bot_type": 2, "config_data": map[string]string{"a": "1"}})
	n, token := bot.ID.String(), ""
	both := []*servicetest.Watch{admin.Watch("realm_user", "realm_bot"), member.Watch("realm_user", "realm_bot")}
	reply := map[string]any{}
	member.Do(http.MethodPatch, at(bot), params{
		"full_name": "Out Two", "default_sending_stream": "hall", "default_events_register_stream": "hall", "default_all_public_streams": true,
		"service_payload_url": "http://two.example/", "service_interface": 2,
	}).OK().Decode(&reply)
	facts := map[string]any{
		"result": "success", "msg": "", "full_name": "Out Two", "avatar_url": "/avatar/" + n + "?v=1", "service_interface": 2.0,
		"service_payload_url": "http://two.example/", "config_data": map[string]any{}, "default_sending_stream": "hall",
		"default_events_register_stream": "hall", "default_all_public_streams": true, "bot_owner": member.RealEmail,
	}
	if diff := cmp.Diff(facts, reply); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	changed := `{"type":"realm_bot","op":"update","bot":{"user_id":` + n + `,`
	events := []string{
		`{"type":"realm_user","op":"update","person":{"user_id":` + n + `,"full_name":"Out Two"}}`,
		changed + `"full_name":"Out Two"}}`, changed + `"default_sending_stream":"hall"}}`, changed + `"default_events_register_stream":"hall"}}`,
		changed + `"default_all_public_streams":true}}`, changed + `"services":[{"base_url":"http://two.example/","interface":2,"token":""}]}}`,
	}
	for _, watching := range both {
		got := watching.Events()
		for i, e := range got {
			if before, after, ok := strings.Cut(e, `"token":"`); ok {
				token, _, _ = strings.Cut(after, `"`)
				got[i] = before + `"token":""}]}}`
			}
		}
		if diff := cmp.Diff(events, got); diff != "" || token == "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	}

	// Parameters that change nothing are omitted in the response, and have no events.
	watching := member.Watch("realm_user", "realm_bot")
	admin.Do(http.MethodPatch, at(bot), params{
		"full_name": "Out Two", "service_payload_url": `"http://two.example/"`, "default_sending_stream": "HALL", "bot_owner_id": member.ID,
	}).OK().Decode(&reply)
	if diff := cmp.Diff(facts, reply); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	admin.Do(http.MethodPatch, at(bot), nil).OK()
	if got := watching.Events(); len(got) != 0 {
		t.Errorf("events of no change: %v", got)
	}

	member.Do(http.MethodPatch, at(bot), params{"default_sending_stream": "", "default_all_public_streams": false}).OK().Decode(&reply)
	if reply["default_sending_stream"] != nil || reply["default_events_register_stream"] != "hall" || reply["default_all_public_streams"] != false {
		t.Errorf("%v", reply)
	}
	want := []string{
		changed + `"default_sending_stream":null}}`, changed + `"default_all_public_streams":false}}`,
	}
	if diff := cmp.Diff(want, watching.Events()); diff != "" {
		t.Error(diff)
	}

	admin.Do(http.MethodPatch, at(hook), params{"config_data": map[string]string{"b": "2"}, "service_interface": 1}).OK().Decode(&reply)
	if diff := cmp.Diff(map[string]any{"a": "1", "b": "2"}, reply["config_data"]); diff != "" {
		t.Error(diff)
	}
	want = []string{`{"type":"realm_bot","op":"update","bot":{"user_id":` + hook.ID.String() + `,"services":[{"config_data":{"a":"1","b":"2"}}]}}`}
	if diff := cmp.Diff(want, watching.Events()); diff != "" {
		t.Error(diff)
	}
}

func TestChangeRefuses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	owner, admin, member, other := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	gone := w.Person("Gil", actor.Member)
	owner.Do(http.MethodDelete, "/users/"+gone.ID.String(), nil).OK()
	other.NewStream("den", params{"invite_only": true})
	bot, hook, second := made(w, member, "echo", nil), made(w, member, "hook", params{"bot_type": 2}), made(w, other, "two", nil)
	mighty := made(w, member, "mighty", nil)
	owner.Do(http.MethodPatch, "/users/"+mighty.ID.String(), params{"role": 100}).OK()
	change := func(by, of servicetest.Account, p params) servicetest.Answer {
		return by.Do(http.MethodPatch, at(of), p)
	}
	watching := owner.Watch("realm_user", "realm_bot")
	change(member, second, params{"full_name": "Mine"}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	change(admin, member, params{"full_name": "Mine"}).Fails(400, "BAD_REQUEST", "No such bot")
	admin.Do(http.MethodPatch, "/bots/987654321", params{"full_name": "Mine"}).Fails(400, "BAD_REQUEST", "No such bot")
	change(abroad(w), bot, params{"full_name": "Mine"}).Fails(400, "BAD_REQUEST", "No such bot")
	change(bot, bot, params{"full_name": "Mine"}).Fails(400, "", "This endpoint does not accept bot requests.")
	change(member, bot, params{"full_name": "X"}).Fails(400, "BAD_REQUEST", "Name too short!")
	change(member, bot, params{"full_name": strings.Repeat("x", 101)}).Fails(400, "BAD_REQUEST", "Name too long!")
	change(member, bot, params{"full_name": "@ll"}).Fails(400, "BAD_REQUEST", "Invalid characters in name!")
	change(member, bot, params{"full_name": "Bot|7"}).Fails(400, "BAD_REQUEST", "Invalid format!")
	change(member, bot, params{"full_name": "BOT two"}).Fails(400, "BAD_REQUEST", "Name is already in use!")
	change(member, bot, params{"bot_owner_id": 987654321}).Fails(400, "", "Failed to change owner, no such user")
	change(member, bot, params{"bot_owner_id": gone.ID}).Fails(400, "", "Failed to change owner, user is deactivated")
	change(member, bot, params{"bot_owner_id": second.ID}).Fails(400, "", "Failed to change owner, bots can't own other bots")
	change(admin, mighty, params{"bot_owner_id": admin.ID}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	change(member, bot, params{"default_sending_stream": "den"}).Fails(400, "BAD_REQUEST", "Invalid stream name 'den'")
	change(member, bot, params{"default_events_register_stream": "nowhere"}).Fails(400, "BAD_REQUEST", "Invalid stream name 'nowhere'")
	change(member, bot, params{"service_interface": 3}).Fails(400, "BAD_REQUEST", "Invalid interface type")
	change(member, bot, params{"service_payload_url": "http://one.example/"}).Fails(400, "BAD_REQUEST", "Invalid bot type")
	change(member, bot, params{"service_payload_url": "one.example"}).Fails(400, "BAD_REQUEST", "service_payload_url is not a URL")
	change(member, bot, params{"config_data": map[string]string{"a": "1"}}).Fails(400, "BAD_REQUEST", "Invalid configuration data!")
	change(member, hook, params{"config_data": map[string]string{"a": strings.Repeat("x", 6_000)}}).OK()
	change(member, hook, params{"config_data": map[string]string{"b": strings.Repeat("x", 6_000)}}).
		Fails(400, "BAD_REQUEST", "The configuration has 12002 characters: the limit is 10000.")
	if events := watching.Events(); len(events) != 1 {
		t.Errorf("events of refused requests: %v", events)
	}
}

// The new owner of a bot, the previous one and all others get events in different forms.
func TestChangeOwner(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, ann, bob, cas := w.Person("Admin", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cas", actor.Member)
	bot := made(w, ann, "out", params{"bot_type": 3, "payload_url": "http://one.example/"})
	n := bot.ID.String()
	watching := map[string]*servicetest.Watch{}
	for name, a := range map[string]servicetest.Account{"admin": admin, "ann": ann, "bob": bob, "cas": cas} {
		watching[name] = a.Watch("realm_user", "realm_bot")
	}
	owned := func(by servicetest.Account) (update, all string) {
		return `{"type":"realm_bot","op":"update","bot":{"user_id":` + n + `,"owner_id":` + by.ID.String() + `}}`,
			`{"type":"realm_user","op":"update","person":{"user_id":` + n + `,"bot_owner_id":` + by.ID.String() + `}}`
	}
	deleted := `{"type":"realm_bot","op":"delete","bot":{"user_id":` + n + `}}`
	added := `{"type":"realm_bot","op":"add",`
	check := func(what string, want map[string][]string) {
		t.Helper()
		for name, q := range watching {
			events := q.Events()
			for i, e := range events {
				if strings.HasPrefix(e, added) {
					if !strings.Contains(e, `"base_url":"http://one.example/"`) {
						t.Errorf("%s: %s", what, e)
					}
					events[i] = added
				}
			}
			if diff := cmp.Diff(want[name], events); diff != "" {
				t.Errorf("%s: events of %s (-want +got):\n%s", what, name, diff)
			}
		}
	}
	ann.Do(http.MethodPatch, at(bot), params{"bot_owner_id": bob.ID}).OK()
	update, all := owned(bob)
	check("from a member to another", map[string][]string{"admin": {update, all}, "ann": {deleted, all}, "bob": {added, all}, "cas": {all}})
	admin.Do(http.MethodPatch, at(bot), params{"bot_owner_id": admin.ID}).OK()
	update, all = owned(admin)
	check("to an administrator", map[string][]string{"admin": {update, all}, "ann": {all}, "bob": {deleted, all}, "cas": {all}})
	admin.Do(http.MethodPatch, at(bot), params{"bot_owner_id": ann.ID}).OK()
	update, all = owned(ann)
	check("from an administrator", map[string][]string{"admin": {update, all}, "ann": {added, all}, "bob": {all}, "cas": {all}})
	ann.Do(http.MethodPatch, at(bot), params{"full_name": "Mine again"}).OK()
	bob.Do(http.MethodPatch, at(bot), params{"full_name": "Mine"}).Fails(400, "BAD_REQUEST", "Insufficient permission")
}

// Whoever hands over a bot can't use it to send where only the new owner may.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	admin, mia, bob := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	bob.NewStream("den", params{"invite_only": true})
	bot, other := made(w, mia, "echo", nil), made(w, mia, "other", nil)
	post := func(bot servicetest.Account) servicetest.Answer {
		return bot.Do(http.MethodPost, "/messages", params{"type": "stream", "to": "den", "topic": "t", "content": "hello"})
	}
	post(bot).Fails(400, "BAD_REQUEST", "Not authorized to send to stream 'den'")
	mia.Do(http.MethodPatch, at(bot), params{"bot_owner_id": bob.ID}).OK()
	w.Forget(bot)
	post(bot).Fails(401, "UNAUTHORIZED", "Invalid API key")
	reply := struct {
		APIKey string `json:"api_key"`
	}{}
	mia.Do(http.MethodPost, at(bot)+"/api_key/regenerate", nil).Fails(400, "BAD_REQUEST", "Insufficient permission")
	bob.Do(http.MethodPost, at(bot)+"/api_key/regenerate", nil).OK().Decode(&reply)
	bot.Key = reply.APIKey
	post(bot).OK()

	// Administrators may use every bot, and decide for whoever owns it next.
	admin.Do(http.MethodPatch, at(other), params{"bot_owner_id": bob.ID}).OK()
	w.Forget(other)
	post(other).OK()
}
