package state_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func number(u id.User) any { return float64(u) }

func TestUsers(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	bob := w.Person("Bob", actor.Member)
	guest := w.Person("Guest", actor.Guest)
	robot := w.Bot("Robot", actor.OutgoingWebhook, bob)
	gone := w.Person("Gone", actor.Member)
	eve := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})
	exec(t, w, `update users set active = false where user_id = $1`, gone.ID)
	exec(t, w, `insert into profile_fields (org_id, field_id, name, type, position) values ($1, 77, 'Room', 1, 1)`, w.Org.ID)
	exec(t, w, `insert into profile_values (org_id, user_id, field_id, value, rendered) values ($1, $2, 77, 'B12', '<p>B12</p>')`, w.Org.ID, bob.ID)

	for _, viewer := range []servicetest.Account{ann, bob, guest, robot} {
		got := fetch(viewer, "realm_user")
		servicetest.Same(t, "realm_users", []any{number(ann.ID), number(bob.ID), number(guest.ID), number(robot.ID)}, list(got["realm_users"], "user_id"))
		servicetest.Same(t, "realm_non_active_users", []any{number(gone.ID)}, list(got["realm_non_active_users"], "user_id"))
		servicetest.Same(t, "cross_realm_bots", []any{"Notification Bot"}, list(got["cross_realm_bots"], "full_name"))
	}
	got := fetch(bob, "realm_user")
	joined := find(got["realm_users"], "user_id", number(bob.ID))["date_joined"]
	servicetest.Same(t, "a person", map[string]any{
		"user_id": number(bob.ID), "email": "bob@chat.example", "full_name": "Bob", "is_admin": false, "is_owner": false, "is_guest": false,
		"is_bot": false, "timezone": "", "date_joined": joined, "avatar_version": 1.0, "avatar_url": avatar(bob.ID, ""), "bot_type": nil,
		"profile_data": map[string]any{"77": map[string]any{"value": "B12", "rendered_value": "<p>B12</p>"}},
	}, find(got["realm_users"], "user_id", number(bob.ID)))
	bot := find(got["realm_users"], "user_id", number(robot.ID))
	servicetest.Same(t, "a bot", map[string]any{"bot_type": 3.0, "bot_owner_id": number(bob.ID), "is_bot": true}, only(bot, "bot_type", "bot_owner_id", "is_bot", "profile_data"))
	servicetest.Same(t, "without answers", any(map[string]any{}), find(got["realm_users"], "user_id", number(ann.ID))["profile_data"])
	for _, key := range []string{"realm_users", "realm_non_active_users"} {
		for _, object := range got[key].([]any) {
			if _, ok := object.(map[string]any)["is_active"]; ok {
				t.Errorf("%s have is_active", key)
			}
		}
	}
	system := got["cross_realm_bots"].([]any)[0].(map[string]any)
	servicetest.Same(t, "a bot of the server", map[string]any{"is_active": true, "is_cross_realm_bot": true, "bot_owner_id": nil},
		only(system, "is_active", "is_cross_realm_bot", "bot_owner_id"))

	theirs := fetch(eve, "realm_user")
	servicetest.Same(t, "the other organization", []any{number(eve.ID)}, list(theirs["realm_users"], "user_id"))
	servicetest.Same(t, "its fields", map[string]any{"custom_profile_fields": []any{}}, only(fetch(eve, "custom_profile_fields"), "custom_profile_fields"))
	servicetest.Same(t, "the fields", map[string]any{"custom_profile_fields": []any{map[string]any{
		"id": 77.0, "name": "Room", "type": 1.0, "hint": "", "field_data": "", "order": 1.0,
	}}}, only(fetch(bob, "custom_profile_fields"), "custom_profile_fields"))
}

func avatar(u id.User, more string) string {
	return "/avatar/" + strconv.FormatInt(int64(u), 10) + "?v=1" + more
}

func TestOwnAccount(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	choose(t, w, `{"email_address_visibility": 4, "create_stream_policy": 2, "invite_to_stream_policy": 3, "waiting_period_threshold": 3}`)
	for _, who := range []struct {
		servicetest.Account
		admin, owner, guest bool
		old                 bool
	}{
		{Account: w.Person("Owner", actor.Owner), admin: true, owner: true},
		{Account: w.Person("Admin", actor.Administrator), admin: true},
		{Account: w.Person("New", actor.Member)},
		{Account: w.Person("Old", actor.Member), old: true},
		{Account: w.Person("Guest", actor.Guest), guest: true, old: true},
	} {
		if who.old {
			exec(t, w, `update users set joined_at = now() - interval '3 days 1 hour' where user_id = $1`, who.ID)
		}
		exec(t, w, `update users set settings = '{"enter_sends": true}' where user_id = $1`, who.ID)
		got := fetch(who.Account, "realm_user")
		want := map[string]any{
			"user_id": number(who.ID), "email": "user" + strconv.FormatInt(int64(who.ID), 10) + "@chat.example", "delivery_email": who.RealEmail,
			"full_name": who.FullName, "avatar_source": "G", "avatar_url": avatar(who.ID, ""), "avatar_url_medium": avatar(who.ID, "&size=medium"),
			"is_admin": who.admin, "is_owner": who.owner, "is_guest": who.guest, "enter_sends": true,
			"can_create_streams": who.admin, "can_subscribe_other_users": who.admin || who.old && !who.guest,
		}
		servicetest.Same(t, who.FullName, want, only(got, slices.Collect(maps.Keys(want))...))
	}
}

// An account whose role has changed since its authentication gets the state for the current role, which later events
// wouldn't correct.
func TestRoleOfSnapshot(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	exec(t, w, `insert into streams (org_id, stream_id, name, invite_only) values ($1, 9001, 'secret', true)`, w.Org.ID)
	servicetest.Same(t, "before", []any{"secret"}, list(fetch(ann, "subscription")["never_subscribed"], "name"))
	exec(t, w, `update users set role = 400 where user_id = $1`, ann.ID)
	got := fetch(ann, "realm_user", "subscription")
	servicetest.Same(t, "never_subscribed", any([]any{}), got["never_subscribed"])
	servicetest.Same(t, "is_admin", any(false), got["is_admin"])
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		visibility string
		hidden     bool // addresses
		toAdmins   bool // real ones
	}{
		{"everyone", "1", false, false},
		{"administrators", "3", true, true},
		{"nobody", "4", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := servicetest.New(t)
			choose(t, w, `{"third_party_avatars": true, "email_address_visibility": `+c.visibility+`}`)
			ann, bob := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member)
			robot := w.Bot("Robot", actor.GenericBot, bob)
			shown := bob.RealEmail
			if c.hidden {
				shown = "user" + strconv.FormatInt(int64(bob.ID), 10) + "@chat.example"
			}
			for _, viewer := range []servicetest.Account{ann, bob, robot} {
				got := register(viewer, servicetest.Params{"fetch_event_types": []string{"realm_user"}, "client_hosted_avatar": true})
				object := find(got["realm_users"], "user_id", number(bob.ID))
				servicetest.Same(t, "email", any(shown), object["email"])
				servicetest.Same(t, "email of a bot", any(robot.RealEmail), find(got["realm_users"], "user_id", number(robot.ID))["email"])
				want := any(nil)
				if c.toAdmins && viewer.ID == ann.ID {
					want = bob.RealEmail
				}
				servicetest.Same(t, "delivery_email", want, object["delivery_email"])
				if url, ok := object["avatar_url"]; !ok || (url == nil) != !c.hidden {
					t.Errorf("avatar_url of another is %v", url)
				}
				if url, ok := got["avatar_url"].(string); !ok || url == "" {
					t.Errorf("own avatar_url is %v", got["avatar_url"])
				}
				if url, ok := got["cross_realm_bots"].([]any)[0].(map[string]any)["avatar_url"].(string); !ok || url == "" {
					t.Error("a bot of the server has no avatar_url")
				}
			}
		})
	}
}

func TestAvatarURLOptional(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, gone := w.Person("Ann", actor.Member), w.Person("Gone", actor.Member)
	exec(t, w, `update users set active = false where user_id = $1`, gone.ID)
	for _, optional := range []bool{false, true} {
		got := register(ann, servicetest.Params{
			"fetch_event_types":   []string{"realm_user"},
			"client_capabilities": map[string]bool{"notification_settings_null": true, "user_avatar_url_field_optional": optional},
		})
		for key, want := range map[string]bool{"realm_users": true, "realm_non_active_users": !optional, "cross_realm_bots": true} {
			if _, ok := got[key].([]any)[0].(map[string]any)["avatar_url"]; ok != want {
				t.Errorf("capability %v: avatar_url in %s is %v", optional, key, ok)
			}
		}
	}
}

func TestBots(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, ann, bob := w.Person("Admin", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	first, second := w.Bot("First", actor.GenericBot, ann), w.Bot("Second", actor.IncomingWebhook, ann)
	third := w.Bot("Third", actor.OutgoingWebhook, bob)
	exec(t, w, `insert into streams (org_id, stream_id, name, deactivated) values ($1, 9001, 'here', false), ($1, 9002, 'gone', true)`, w.Org.ID)
	exec(t, w, `update users set default_sending_stream_id = 9001, default_register_stream_id = 9002, default_all_public_streams = true,
		active = false where user_id = $1`, second.ID)
	eve := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})
	for _, viewer := range []struct {
		servicetest.Account
		bots []any
	}{
		{admin, []any{number(first.ID), number(second.ID), number(third.ID)}},
		{ann, []any{number(first.ID), number(second.ID)}},
		{bob, []any{number(third.ID)}},
		{first, []any{}},
		{eve, []any{}},
	} {
		servicetest.Same(t, viewer.FullName, viewer.bots, list(fetch(viewer.Account, "realm_bot")["realm_bots"], "user_id"))
	}
	servicetest.Same(t, "a bot", map[string]any{
		"user_id": number(second.ID), "bot_type": 2.0, "email": "second@chat.example", "full_name": "Second", "is_active": false,
		"default_sending_stream": "here", "default_events_register_stream": nil, "default_all_public_streams": true,
		"avatar_url": avatar(second.ID, ""), "owner_id": number(ann.ID), "services": []any{},
	}, find(fetch(ann, "realm_bot")["realm_bots"], "user_id", number(second.ID)))
	second.Do(http.MethodPost, "/register", nil).Fails(http.StatusUnauthorized, "UNAUTHORIZED", "Account is deactivated")
}
