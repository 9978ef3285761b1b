package organization_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// Each setting has a type, an event and a place in the initial state, and is in the response only if it changes.
func TestEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hall := w.stream(w.ada, "hall", false)
	watch := w.gus.Watch("realm")
	tried := map[string]bool{"third_party_avatars": true, "max_streams": true, "max_streams_per_day": true, "upload_quota": true} // the operator's
	update := func(name string, value any) string {
		return fmt.Sprintf(`{"type":"realm","op":"update","property":"%s","value":%s}`, name, asJSON(t, value))
	}
	group := func(data string) string {
		return `{"type":"realm","op":"update_dict","property":"default","data":` + data + `}`
	}
	for _, test := range []struct {
		name   string
		sent   any // the parameter
		value  any // the new value
		answer any // nil: the value
		event  string
	}{
		{name: "name", sent: `"Plant 2"`, value: "Plant 2", answer: "updated"},
		{name: "description", sent: `"We make **steam**"`, value: "We make **steam**", answer: "updated"},
		{name: "default_language", sent: `"de"`, value: "de", answer: "updated"},
		{name: "default_code_block_language", sent: `"go"`, value: "go"},
		{name: "add_emoji_by_admins_only", sent: true, value: true},
		{name: "allow_edit_history", sent: false, value: false},
		{name: "allow_message_deleting", sent: true, value: true},
		{name: "avatar_changes_disabled", sent: true, value: true},
		{name: "bot_creation_policy", sent: 2, value: 2.0},
		{name: "create_stream_policy", sent: 3, value: 3.0},
		{name: "default_twenty_four_hour_time", sent: true, value: true},
		{name: "digest_emails_enabled", sent: true, value: true},
		{name: "digest_weekday", sent: 6, value: 6.0},
		{name: "disallow_disposable_email_addresses", sent: false, value: false},
		{name: "email_changes_disabled", sent: true, value: true},
		{name: "emails_restricted_to_domains", sent: true, value: true},
		{name: "inline_image_preview", sent: false, value: false},
		{name: "inline_url_embed_preview", sent: true, value: true},
		{name: "invite_by_admins_only", sent: true, value: true},
		{name: "invite_required", sent: false, value: false},
		{name: "invite_to_stream_policy", sent: 2, value: 2.0},
		{name: "mandatory_topics", sent: true, value: true},
		{name: "message_content_allowed_in_email_notifications", sent: false, value: false},
		{name: "message_content_delete_limit_seconds", sent: "4294967295", value: 4294967295.0},
		{name: "message_retention_days", sent: "forever", value: -1.0, event: "none"},
		{name: "message_retention_days", sent: 30, value: 30.0},
		{name: "message_retention_days", sent: `"forever"`, value: -1.0},
		{name: "name_changes_disabled", sent: true, value: true},
		{name: "notifications_stream_id", sent: hall, value: float64(hall)},
		{name: "private_message_policy", sent: 2, value: 2.0},
		{name: "send_welcome_emails", sent: false, value: false},
		{name: "signup_notifications_stream_id", sent: hall, value: float64(hall)},
		{name: "user_group_edit_policy", sent: 2, value: 2.0},
		{name: "video_chat_provider", sent: 0, value: 0.0},
		{name: "waiting_period_threshold", sent: "4294967295", value: 4294967295.0},
		{
			name: "allow_message_editing", sent: false, value: false,
			event: group(`{"allow_community_topic_editing":true,"allow_message_editing":false,"message_content_edit_limit_seconds":600}`),
		},
		{
			name: "message_content_edit_limit_seconds", sent: "0", value: 0.0,
			event: group(`{"allow_community_topic_editing":true,"allow_message_editing":false,"message_content_edit_limit_seconds":0}`),
		},
		{
			name: "allow_community_topic_editing", sent: false, value: false,
			event: group(`{"allow_community_topic_editing":false,"allow_message_editing":false,"message_content_edit_limit_seconds":0}`),
		},
	} {
		tried[test.name] = true
		want, event := test.answer, test.event
		if want == nil {
			want = test.value
		}
		if event == "" {
			event = update(test.name, test.value)
		}
		if event != "none" {
			servicetest.Same(t, test.name, map[string]any{test.name: want}, w.edit(w.olga, params{test.name: test.sent}))
			servicetest.Same(t, test.name, []string{event}, watch.Events())
		}
		servicetest.Same(t, test.name+" again", map[string]any{}, w.edit(w.olga, params{test.name: test.sent}))
		state := map[string]any{}
		w.mia.RegisterInto(params{"event_types": []string{"realm"}}, &state)
		servicetest.Same(t, "realm_"+test.name, test.value, state["realm_"+test.name])
		servicetest.Same(t, test.name+" again", []string{}, watch.Events())
	}
	// An empty language means none, and no stream is -1.
	servicetest.Same(t, "no language", map[string]any{"default_code_block_language": nil}, w.edit(w.ada, params{"default_code_block_language": `""`}))
	servicetest.Same(t, "no stream", map[string]any{"notifications_stream_id": -1.0}, w.edit(w.ada, params{"notifications_stream_id": -1}))
	tried["email_address_visibility"], tried["authentication_methods"] = true, true // below
	all, err := org.Defaults().Values()
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !tried[name] {
			t.Errorf("the setting %s isn't tried: add it to the table above", name)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	vault := w.stream(w.mia, "vault", true)
	robot := w.Bot("Robot", actor.GenericBot, w.olga)
	before := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select to_jsonb(o)::text from organizations o")
	watch := w.mia.Watch("realm")
	set := func(by servicetest.Account, name string, value any) servicetest.Answer {
		return by.Do(http.MethodPatch, "/realm", params{name: value, "mandatory_topics": true})
	}
	for _, who := range []servicetest.Account{w.mia, w.gus, robot} {
		set(who, "name", "x").Fails(400, principal, "Must be an organization administrator")
	}
	set(w.ada, "default_language", `"tlh"`).Fails(400, bad, "Invalid language 'tlh'")
	set(w.ada, "description", strings.Repeat("x", 1001)).Fails(400, "", "Organization description is too long.")
	set(w.ada, "name", strings.Repeat("x", 41)).Fails(400, "", "Organization name is too long.")
	set(w.ada, "name", `""`).Fails(400, bad, "An organization's name must have 1 to 40 characters.")
	set(w.ada, "authentication_methods", map[string]bool{"Email": true}).Fails(400, principal, "Must be an organization owner")
	set(w.olga, "authentication_methods", map[string]bool{"Email": false, "idp_1": false}).Fails(400, "", "At least one authentication method must be enabled.")
	set(w.olga, "authentication_methods", map[string]bool{"Email": false, "LDAP": true}).Fails(400, bad, "Invalid authentication_methods")
	set(w.olga, "authentication_methods", map[string]any{"Email": "yes"}).Fails(400, bad, "authentication_methods contains a value that is not a boolean")
	set(w.ada, "video_chat_provider", 3).Fails(400, "", "Invalid video_chat_provider 3")
	set(w.ada, "message_retention_days", 7).Fails(400, principal, "Must be an organization owner")
	set(w.olga, "message_retention_days", 0).Fails(400, "REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': 0")
	set(w.olga, "message_retention_days", "realm_default").Fails(400, "REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': realm_default")
	set(w.olga, "message_retention_days", 4294967296).Fails(400, bad, "message_retention_days is not a string or integer")
	set(w.ada, "email_address_visibility", 2).Fails(400, bad, "Invalid email_address_visibility")
	set(w.ada, "digest_weekday", 7).Fails(400, bad, "Invalid digest_weekday")
	set(w.ada, "bot_creation_policy", 0).Fails(400, bad, "Invalid bot_creation_policy")
	set(w.ada, "invite_required", 1).Fails(400, bad, "invite_required is not a boolean")
	set(w.ada, "waiting_period_threshold", -1).Fails(400, "REQUEST_VARIABLE_INVALID", "Bad value for 'waiting_period_threshold': -1")
	for _, stream := range []int64{vault, 0, -2, 1 << 40} {
		set(w.olga, "notifications_stream_id", stream).Fails(400, bad, "Invalid stream id")
		set(w.olga, "signup_notifications_stream_id", stream).Fails(400, bad, "Invalid stream id")
	}
	servicetest.Same(t, "events of what was refused", []string{}, watch.Events())
	servicetest.Same(t, "the organization", before, storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select to_jsonb(o)::text from organizations o"))
}

// Sign-in methods that aren't in the request don't change.
func TestEditMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := w.mia.Watch("realm")
	methods := map[string]any{"Email": true, "idp_1": false}
	servicetest.Same(t, "answer", map[string]any{"authentication_methods": methods}, w.edit(w.olga, params{"authentication_methods": map[string]bool{"Email": true, "idp_1": false}}))
	servicetest.Same(t, "event", []string{`{"type":"realm","op":"update_dict","property":"default","data":{"authentication_methods":{"Email":true,"idp_1":false}}}`}, watch.Events())
	w.olga.Do(http.MethodPatch, "/realm", params{"authentication_methods": map[string]bool{"idp_1": true}}).OK()
	w.edit(w.olga, params{"authentication_methods": map[string]bool{"Email": false, "idp_1": true}})
	w.olga.Do(http.MethodPost, "/fetch_api_key", params{"username": w.mia.RealEmail, "password": "x"}).
		Fails(403, "", "Password auth is disabled in your team.")
	// A method that the server doesn't have doesn't count, and so can't be the only one.
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = '{"authentication_methods": {"Email": true, "idp_2": true}}'`)
	edit := func(methods map[string]bool) servicetest.Answer {
		return w.olga.Do(http.MethodPatch, "/realm", params{"authentication_methods": methods})
	}
	// its name in GET /server_settings
	edit(map[string]bool{"email": true, "idp_1": false}).OK()
	edit(map[string]bool{"email": false, "idp_1": true}).OK()
	w.olga.Do(http.MethodPost, "/fetch_api_key", params{"username": w.mia.RealEmail, "password": "x"}).
		Fails(403, "", "Password auth is disabled in your team.")
	edit(map[string]bool{"email": true, "Email": false, "idp_1": true}).Fails(400, bad, "Invalid authentication_methods")
	edit(map[string]bool{"Email": false, "idp_2": true}).Fails(400, bad, "Invalid authentication_methods")
	edit(map[string]bool{"Email": false, "idp_1": false}).Fails(400, "", "At least one authentication method must be enabled.")
	edit(map[string]bool{"idp_1": false}).Fails(400, "", "At least one authentication method must be enabled.") // Email is closed
	edit(map[string]bool{}).OK()
	edit(map[string]bool{"idp_1": true, "idp_2": false}).OK()
	edit(map[string]bool{"Email": true}).OK()
	edit(map[string]bool{"idp_1": false}).OK()
	edit(map[string]bool{"Email": false}).Fails(400, "", "At least one authentication method must be enabled.")
}

// If two owners each close a way to sign in at the same time, both are closed.
func TestEditMethodsAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t, org.Method{Name: "idp_1"}, org.Method{Name: "idp_2"})
	olga, sql := w.Person("Olga", actor.Owner), storetest.Connect(t, w.DatabaseURL)
	sql.Exec("begin")
	sql.Exec("select pg_advisory_xact_lock(32, hashint8($1::bigint))", w.Org.ID) // the organization's, for which both wait
	both := sync.WaitGroup{}
	for _, closed := range []string{"Email", "idp_2"} {
		both.Go(func() {
			olga.Do(http.MethodPatch, "/realm", params{"authentication_methods": map[string]bool{closed: false, "idp_1": true}}).OK()
		})
	}
	sql.AwaitBlocked(2)
	sql.Exec("commit")
	both.Wait()
	servicetest.Same(t, "ways to sign in", []string{`{"Email": false, "idp_1": true, "idp_2": false}`},
		storetest.Values[string](sql, "select settings ->> 'authentication_methods' from organizations where org_id = $1", w.Org.ID))
}

// When real addresses are hidden or shown, everyone receives everyone's new displayed address, and a new registration
// has it.
func TestEditVisibility(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := storetest.Connect(t, w.DatabaseURL)
	session.Exec(`insert into users (org_id, email, full_name) select $1, 'p' || n || '@corp.example', 'P' || n from generate_series(1, 120) n`, w.Org.ID)
	w.olga.Do(http.MethodDelete, "/users/"+w.gus.ID.String(), nil).OK() // a registration has addresses of deactivated people, too
	watch := w.mia.Watch("realm", "realm_user")
	servicetest.Same(t, "answer", map[string]any{"email_address_visibility": 4.0}, w.edit(w.ada, params{"email_address_visibility": 4}))
	events := watch.Events()
	if len(events) != 125 || !strings.Contains(events[0], `"property":"email_address_visibility","value":4`) {
		t.Fatalf("%d events, %.300q", len(events), events)
	}
	servicetest.Same(t, "Olga", fmt.Sprintf(`{"type":"realm_user","op":"update","person":{"user_id":%d,"new_email":"user%d@chat.example"}}`, w.olga.ID, w.olga.ID), events[1])
	admin := w.olga.Watch("realm", "realm_user")
	w.edit(w.ada, params{"email_address_visibility": 3})
	servicetest.Same(t, "hidden as before", 1, len(watch.Events()))
	reported := func(what string, displayed int) {
		t.Helper()
		events := admin.Events()
		found := slices.DeleteFunc(slices.Clone(events), func(e string) bool { return !strings.Contains(e, `"delivery_email"`) })
		want := storetest.Values[string](session, `select format('{"type":"realm_user","op":"update","person":{"user_id":%s,"delivery_email":"%s"}}', user_id, email)
			from users where org_id = $1 order by user_id`, w.Org.ID)
		servicetest.Same(t, what, want, found)
		servicetest.Same(t, what+": all events", 1+displayed+len(want), len(events))
	}
	reported("real addresses for administrators alone", 0)
	w.edit(w.ada, params{"email_address_visibility": 1})
	if events = watch.Events(); len(events) != 125 || !strings.Contains(events[124], `"new_email":"p120@corp.example"`) {
		t.Errorf("%d events, the last is %q", len(events), events[len(events)-1])
	}
	admin.Events()
	w.edit(w.ada, params{"email_address_visibility": 3})
	reported("everybody's addresses hidden from others", 124)
	servicetest.Same(t, "hidden from others", 125, len(watch.Events()))
}

// Somebody who joins while real addresses are hidden is known by the displayed one.
func TestJoinWhileAddressesAreHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := storetest.Connect(t, w.DatabaseURL)
	watch := w.mia.Watch("realm_user")
	session.Exec("begin")
	session.Exec("lock table users in share mode")
	joined, hidden := make(chan error, 1), make(chan struct{})
	go func() {
		joined <- w.Accounts.Join(t.Context(), w.Org.ID, account.Newcomer{
			Draft: account.Draft{Email: "nina@corp.example", FullName: "Nina"}, Role: actor.Member, NoPassword: true,
		}, nil)
	}()
	session.AwaitBlocked(1)
	go func() {
		defer close(hidden)
		w.edit(w.olga, params{"email_address_visibility": 4})
	}()
	select {
	case <-hidden:
	case <-time.After(200 * time.Millisecond):
	}
	session.Exec("commit")
	if err := <-joined; err != nil {
		t.Fatal(err)
	}
	<-hidden
	nina := storetest.Values[int64](session, "select user_id from users where email = 'nina@corp.example'")[0]
	last := ""
	for _, e := range watch.Events() {
		if strings.Contains(e, fmt.Sprintf(`"user_id":%d,`, nina)) && strings.Contains(e, "email") {
			last = e
		}
	}
	if !strings.Contains(last, fmt.Sprintf(`email":"user%d@chat.example"`, nina)) {
		t.Errorf("the last address is in %s", last)
	}
}

// A new role counts from the next request on, although callers are cached.
func TestRoleAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	role := func(role int) {
		w.ada.Do(http.MethodPatch, "/users/"+w.mia.ID.String(), params{"role": role}).OK()
	}
	w.mia.Do(http.MethodGet, "/export/realm", nil).Fails(http.StatusBadRequest, principal, "Must be an organization administrator")
	role(200)
	w.mia.Do(http.MethodGet, "/export/realm", nil).OK()
	w.mia.Do(http.MethodPost, "/realm/deactivate", nil).Fails(http.StatusBadRequest, principal, "Must be an organization owner")
}
