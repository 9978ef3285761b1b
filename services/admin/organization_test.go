package admin_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	bob := w.Account(w.org(), user.Draft{FullName: "Bob", Role: actor.Guest})
	spec := adminapi.OrganizationSpec{
		Subdomain: new("eng"), Name: new("Engineers"), Description: new("*We*"), Owners: []string{"ada@corp.example"},
		Settings: map[string]any{
			"create_stream_policy": 2, "allow_message_editing": false, "message_content_edit_limit_seconds": 60,
			"authentication_methods": map[string]bool{"Email": true, "idp_1": false}, "third_party_avatars": true,
		},
	}
	queues := map[string]*servicetest.Queue{"ada": ada.Everything(nil), "bob": bob.Everything(nil)}
	state := changed(w.PutOrganization(t.Context(), key, spec))(t, "name", "description", "allow_message_editing", "authentication_methods",
		"create_stream_policy", "message_content_edit_limit_seconds", "third_party_avatars")
	if state.Name != "Engineers" || state.URL != "https://eng.chat.example" || state.Key != key || state.Settings["create_stream_policy"] != 2.0 ||
		!cmp.Equal(state.Owners, []string{"ada@corp.example"}) {
		t.Errorf("it is %+v", state)
	}
	update := func(property string, value any) map[string]any {
		return map[string]any{"type": "realm", "op": "update", "property": property, "value": value}
	}
	group := func(data map[string]any) map[string]any {
		return map[string]any{"type": "realm", "op": "update_dict", "property": "default", "data": data}
	}
	events := []map[string]any{
		update("name", "Engineers"), update("description", "*We*"),
		group(map[string]any{"allow_message_editing": false, "message_content_edit_limit_seconds": 60.0, "allow_community_topic_editing": true}),
		group(map[string]any{"authentication_methods": map[string]any{"Email": true, "idp_1": false}}),
		update("create_stream_policy", 2.0),
	}
	if diff := cmp.Diff(map[string][]map[string]any{"ada": events, "bob": events}, w.EventsOf(queues)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	changed(w.PutOrganization(t.Context(), key, spec))(t)
	changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{}))(t)
	if events := w.EventsOf(queues); len(events) > 0 {
		t.Errorf("the same again sent %v", events)
	}
	if diff := cmp.Diff(state, must(w.Organization(t.Context(), key))(t)); diff != "" {
		t.Errorf("got another than was put (-put +got):\n%s", diff)
	}
	hide := adminapi.OrganizationSpec{Settings: map[string]any{"email_address_visibility": 4}}
	changed(w.PutOrganization(t.Context(), key, hide))(t, "email_address_visibility")
	address := func(a servicetest.Account) map[string]any {
		return map[string]any{"type": "realm_user", "op": "update", "person": map[string]any{
			"user_id": float64(a.ID), "new_email": fmt.Sprintf("user%d@chat.example", a.ID),
		}}
	}
	events = []map[string]any{update("email_address_visibility", 4.0), address(ada), address(bob)}
	if diff := cmp.Diff(map[string][]map[string]any{"ada": events, "bob": events}, w.EventsOf(queues)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	// A member changes a setting; a call with other fields doesn't revert it.
	w.write(func(ctx context.Context, tx *store.Tx) error {
		_, _, err := w.Orgs.Change(ctx, tx, org.Change{Name: new("Mine"), Description: new("mine")})
		return err
	})
	state = changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Name: new("Engineers")}))(t, "name")
	if state.Description != "mine" {
		t.Errorf("the description is %q", state.Description)
	}
}

// A change is compared with the settings that it replaces, even if these have just been changed.
func TestChangeAfterAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.made().Watch("realm_user")
	other, done := w.sql(), make(chan error, 1)
	other.Exec("begin")
	other.Exec(`update organizations set settings = settings || '{"email_address_visibility": 4}' where subdomain = 'eng'`)
	go func() {
		_, err := w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Settings: map[string]any{"email_address_visibility": 1}})
		done <- err
	}()
	w.awaitLock()
	other.Exec("commit")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if events := queue.Events(); len(events) != 1 || !strings.Contains(events[0], `"new_email":"ada@corp.example"`) {
		t.Errorf("events %v", events)
	}
}

func TestOrganizationRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	put := func(key string, spec adminapi.OrganizationSpec) func(t *testing.T, status int, code, msg string) {
		return fails(w.PutOrganization(t.Context(), key, spec))
	}
	setting := func(name string, value any) adminapi.OrganizationSpec {
		return adminapi.OrganizationSpec{Settings: map[string]any{name: value}}
	}
	put("new", adminapi.OrganizationSpec{})(t, 400, "REQUEST_VARIABLE_MISSING", "Missing 'subdomain' argument")
	put("new", adminapi.OrganizationSpec{Subdomain: new("x")})(t, 400, "REQUEST_VARIABLE_MISSING", "Missing 'name' argument")
	put("new", adminapi.OrganizationSpec{Subdomain: new("X"), Name: new("x")})(t, 400, "BAD_REQUEST",
		"Subdomain must consist of lowercase letters, numbers and hyphens, and begin and end with no hyphen.")
	put("new", adminapi.OrganizationSpec{Subdomain: new("eng"), Name: new("x")})(t, 400, "ALREADY_KEPT",
		"The organization 'eng' is managed under the key '"+key+"'.")
	put("new", adminapi.OrganizationSpec{Subdomain: new(""), Name: new("x")})(t, 400, "ALREADY_EXISTS",
		"The organization 'https://chat.example' already exists; set adopt to take it over.")
	put("new", adminapi.OrganizationSpec{Subdomain: new("eng"), Adopt: true})(t, 400, "ALREADY_KEPT", "The organization 'eng' is managed under the key '"+key+"'.")
	put(key, adminapi.OrganizationSpec{Subdomain: new("other")})(t, 400, "BAD_REQUEST", "The subdomain can't be changed.")
	put(key, adminapi.OrganizationSpec{Name: new("")})(t, 400, "BAD_REQUEST", "An organization's name must have 1 to 40 characters.")
	put(key, adminapi.OrganizationSpec{Owners: []string{"Ada <ada@corp.example>"}})(t, 400, "BAD_REQUEST", "'Ada <ada@corp.example>' is not a valid email address.")
	put(key, setting("colour", "red"))(t, 400, "BAD_REQUEST", "There is no setting 'colour'.")
	put(key, setting("create_stream_policy", 4))(t, 400, "BAD_REQUEST", "The setting 'create_stream_policy' has the invalid value 4.")
	put(key, setting("mandatory_topics", "yes"))(t, 400, "BAD_REQUEST", `The setting 'mandatory_topics' has the invalid value "yes".`)
	put(key, setting("mandatory_topics", nil))(t, 400, "BAD_REQUEST", "The setting 'mandatory_topics' has the invalid value null.")
	put(key, setting("notifications_stream_id", 12345))(t, 400, "BAD_REQUEST", "Invalid stream id")
	fails(w.Organization(t.Context(), "nobody"))(t, 404, "NOT_FOUND", "There is no organization with the key 'nobody'.")
	if state := must(w.Organization(t.Context(), key))(t); state.Name != "Engineering" || len(state.Owners) != 1 {
		t.Errorf("it is %+v now", state)
	}
	if state := changed(w.PutOrganization(t.Context(), "root", adminapi.OrganizationSpec{Subdomain: new(""), Adopt: true}))(t, "key"); state.Name != "Plant" {
		t.Errorf("adopted %+v", state)
	}
}

// A new organization has a stream to which all accounts are subscribed and in which new streams are announced, until it
// is archived. A call for a stream with its name takes it over without adopt.
func TestGeneral(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	announcements := func() any { return must(w.Organization(t.Context(), key))(t).Settings["notifications_stream_id"] }
	general := announcements()
	ada.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"general"}]`}).OK()
	ada.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"docks"}]`, "announce": true}).OK()
	got := struct{ Messages []struct{ Content string } }{}
	ada.Do(http.MethodGet, "/messages", params{
		"anchor": "newest", "num_before": 10, "num_after": 0, "apply_markdown": false, "narrow": `[["stream","general"],["topic","new streams"]]`,
	}).OK().Decode(&got)
	if want := fmt.Sprintf("@_**Ada|%d** created a new stream #**docks**.", ada.ID); len(got.Messages) != 1 || got.Messages[0].Content != want {
		t.Errorf("announcements are %v, want %q", got.Messages, want)
	}
	fails(w.Streams(key).Put(t.Context(), "d", adminapi.StreamSpec{Name: new("docks")}))(t, 400, "ALREADY_EXISTS",
		"The stream 'docks' already exists; set adopt to take it over.")
	kept := changed(w.Streams(key).Put(t.Context(), "g", adminapi.StreamSpec{Name: new("General"), Default: new(true)}))(t, "name", "key")
	if float64(kept.ID) != general || !kept.Default || kept.Description != "What concerns everybody." {
		t.Errorf("it is %+v, the setting is %v", kept, general)
	}
	fails(w.Streams(key).Put(t.Context(), "h", adminapi.StreamSpec{Name: new("general")}))(t, 400, "ALREADY_KEPT", "The stream 'general' is managed under the key 'g'.")
	must(w.Streams(key).Delete(t.Context(), "g"))(t)
	if got := announcements(); got != -1.0 {
		t.Errorf("without the stream, the setting is %v", got)
	}
	none := adminapi.OrganizationSpec{Subdomain: new("none"), Name: new("None"), Settings: map[string]any{"notifications_stream_id": -1}}
	if made := must(w.PutOrganization(t.Context(), "none", none))(t); !made.Created || made.State.Settings["notifications_stream_id"] != -1.0 {
		t.Errorf("made %+v", made)
	}
}

// Of several equal calls at the same time, one creates the organization and the others find it.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	created := make(chan string, 100)
	together := func(f func() (what string, created bool, err error)) {
		wait := sync.WaitGroup{}
		for range 6 {
			wait.Go(func() {
				what, made, err := f()
				if err != nil {
					t.Error(what, err)
				}
				if made {
					created <- what
				}
			})
		}
		wait.Wait()
	}
	together(func() (string, bool, error) {
		spec := adminapi.OrganizationSpec{Subdomain: new("eng"), Name: new("Engineering"), Owners: []string{"ada@corp.example"}}
		got, err := w.PutOrganization(t.Context(), key, spec)
		return "organization", got.Created, err
	})
	together(func() (string, bool, error) {
		got, err := w.Streams(key).Put(t.Context(), "s", adminapi.StreamSpec{Name: new("alerts"), Default: new(true)})
		return "stream", got.Created, err
	})
	together(func() (string, bool, error) {
		spec := adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy"), Owner: new("ada@corp.example"), Subscriptions: []string{"alerts"}}
		got, err := w.Bots(key).Put(t.Context(), "b", spec)
		return "bot", got.Created && got.Secret != nil, err
	})
	close(created)
	got := []string{}
	for what := range created {
		got = append(got, what)
	}
	if diff := cmp.Diff([]string{"organization", "stream", "bot"}, got); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
}

func TestSuspend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	queue := ada.Everything(nil)
	events := make(chan []servicetest.Event)
	go func() { events <- queue.Poll() }()
	w.Parked(1)
	changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Suspended: new(true)}))(t, "suspended")
	if diff := cmp.Diff([]servicetest.Event{{ID: 1000, Type: "realm", Op: "deactivated"}}, <-events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Suspended: new(true)}))(t)
	w.clock.Advance(1)
	if w.works(ada.Key) {
		t.Error("a member of a suspended organization can authenticate")
	}
	changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Suspended: new(false)}))(t, "suspended")
	w.clock.Advance(1 << 40) // long enough to be looked up again
	if !w.works(ada.Key) {
		t.Error("after the suspension, a member can't authenticate")
	}
}

// A sign-in method that a new organization disables is never enabled in it.
func TestMethodsOfNewOrganizations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for subdomain, test := range map[string]struct {
		chosen, open map[string]bool
	}{
		"all":    {nil, map[string]bool{"Email": true, "idp_1": true}},
		"email":  {map[string]bool{"Email": true}, map[string]bool{"Email": true, "idp_1": false}},
		"single": {map[string]bool{"Email": false, "idp_1": true}, map[string]bool{"Email": false, "idp_1": true}},
	} {
		spec := adminapi.OrganizationSpec{Subdomain: &subdomain, Name: new("New")}
		if test.chosen != nil {
			spec.Settings = map[string]any{"authentication_methods": test.chosen}
		}
		must(w.PutOrganization(t.Context(), "k-"+subdomain, spec))(t)
		made, err := w.Orgs.ByHost(t.Context(), subdomain+".chat.example")
		if diff := cmp.Diff(test.open, made.Settings.AuthenticationMethods); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", subdomain, err, diff)
		}
		if (made.Methods == nil) != (test.chosen == nil) {
			t.Errorf("%s: chosen are %v", subdomain, made.Methods)
		}
	}
}
