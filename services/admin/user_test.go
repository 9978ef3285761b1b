package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// secret is a password that is strong enough.
const secret = "winter-pencil-carrot"

// kinds returns the events in Ada's queue, by type and op.
func kinds(w *world, queues map[string]*servicetest.Queue) (all []string) {
	w.t.Helper()
	for _, e := range w.EventsOf(queues)["ada"] {
		op, _ := e["op"].(string)
		all = append(all, strings.TrimSpace(fmt.Sprint(e["type"], " ", op)))
	}
	return all
}

// signsIn requests an API key with a password.
func (w *world) signsIn(email, password string) servicetest.Answer {
	w.t.Helper()
	nobody := w.Nobody()
	nobody.Org = w.org()
	return nobody.Do(http.MethodPost, "/fetch_api_key", params{"username": email, "password": password})
}

// A person's account is created, changed, deactivated and reactivated.
func TestUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	must(w.Streams(key).Put(t.Context(), "s", adminapi.StreamSpec{Name: new("hall"), Default: new(true)}))(t)
	queues := map[string]*servicetest.Queue{"ada": ada.Everything(nil)}
	spec := adminapi.UserSpec{Email: new("grace@corp.example"), FullName: new("Grace"), Role: new(200), Active: new(true)}
	ensured := must(w.Users(key).Put(t.Context(), "g", spec))(t)
	want := adminapi.User{Account: adminapi.Account{
		ID: ensured.State.ID, Key: "g", Email: "grace@corp.example", FullName: "Grace", Role: 200, Active: true, Issued: true,
	}, Groups: []string{}}
	if diff := cmp.Diff(want, ensured.State); diff != "" || !ensured.Created || len(ensured.Changed) > 0 || ensured.Secret != nil {
		t.Errorf("%+v (-want +got):\n%s", ensured, diff)
	}
	if got := kinds(w, queues); len(got) == 0 || got[0] != "realm_user add" {
		t.Errorf("events %v", got)
	}
	streams := storetest.Values[string](w.sql(), "select name from subscriptions join streams using (org_id, stream_id) where user_id = $1 order by 1", want.ID)
	if !cmp.Equal(streams, []string{"general", "hall"}) {
		t.Errorf("streams %v", streams)
	}
	changed(w.Users(key).Put(t.Context(), "g", spec))(t)
	changed(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{}))(t)
	if got := kinds(w, queues); len(got) > 0 {
		t.Errorf("the same again, and nothing, sent %v", got)
	}

	// Each field changes only its own property.
	state := changed(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{FullName: new("Grace H"), Role: new(400), Email: new("gh@corp.example")}))(t,
		"email", "full_name", "role")
	if state.Email != "gh@corp.example" || state.FullName != "Grace H" || state.Role != 400 {
		t.Errorf("it is %+v", state)
	}
	changed(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{Active: new(false)}))(t, "active")
	state = changed(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{FullName: new("Grace Hopper")}))(t, "full_name")
	if state.Active {
		t.Error("another change has made the account active")
	}
	changed(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{Active: new(true)}))(t, "active")
	if got := must(w.Users(key).Get(t.Context(), "g"))(t); got.FullName != "Grace Hopper" || !got.Active {
		t.Errorf("it is %+v", got)
	}

	// A deleted account is deactivated. Under another key it is the same account.
	w.EventsOf(queues)
	if !must(w.Users(key).Delete(t.Context(), "g"))(t).Removed || must(w.Users(key).Delete(t.Context(), "g"))(t).Removed {
		t.Error("the account wasn't removed exactly once")
	}
	if got := kinds(w, queues); !cmp.Equal(got, []string{"realm_user remove", "stream vacate", "stream vacate"}) { // nobody else was in the streams
		t.Errorf("events %v", got)
	}
	fails(w.Users(key).Get(t.Context(), "g"))(t, 404, "NOT_FOUND", "There is no user with the key 'g'.")
	again := must(w.Users(key).Put(t.Context(), "g2", adminapi.UserSpec{Email: new("GH@corp.example"), Active: new(true)}))(t)
	if again.State.ID != want.ID || again.Created || !again.State.Active {
		t.Errorf("it came back as %+v", again)
	}
}

func TestUserRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	put := func(key string, spec adminapi.UserSpec) func(t *testing.T, status int, code, msg string) {
		t.Helper()
		return fails(w.Users("team/engineering").Put(t.Context(), key, spec))
	}
	must(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy")}))(t)
	put("x", adminapi.UserSpec{})(t, 400, "REQUEST_VARIABLE_MISSING", "Missing 'email' argument")
	put("x", adminapi.UserSpec{Email: new("x")})(t, 400, "BAD_REQUEST", "'x' is not a valid email address.")
	put("x", adminapi.UserSpec{Email: new("x@corp.example"), FullName: new("x")})(t, 400, "BAD_REQUEST", "The full name 'x' is invalid: Name too short!")
	put("x", adminapi.UserSpec{Email: new("xx@corp.example"), Role: new(300)})(t, 400, "BAD_REQUEST", "The role must be 100 (owner), 200 (administrator), 400 (member) or 600 (guest).")
	put("x", adminapi.UserSpec{Email: new("xx@corp.example"), Password: "hamlet"})(t, 400, "", "The password is too weak.")
	put("x", adminapi.UserSpec{Email: new("deploy-bot@chat.example")})(t, 400, "BAD_REQUEST",
		"The account with the address 'deploy-bot@chat.example' isn't a person's.")
	put("x", adminapi.UserSpec{Email: new("ada@corp.example")})(t, 400, "ALREADY_EXISTS", "The user 'ada@corp.example' already exists; set adopt to take it over.")
	fails(w.Users("nobody").Put(t.Context(), "x", adminapi.UserSpec{}))(t, 404, "NOT_FOUND", "There is no organization with the key 'nobody'.")
	if n := storetest.Values[int64](w.sql(), "select count(*) from users where email like '%x@%'"); n[0] != 0 {
		t.Errorf("%d accounts were made", n[0])
	}
	// The last owner can't be removed, and an account is managed under only one key.
	changed(w.Users(key).Put(t.Context(), "ada", adminapi.UserSpec{Email: new("Ada@corp.example"), Adopt: true}))(t, "key")
	put("ada2", adminapi.UserSpec{Email: new("ada@corp.example"), Adopt: true})(t, 400, "ALREADY_KEPT", "The user 'ada@corp.example' is managed under the key 'ada'.")
	put("ada", adminapi.UserSpec{Role: new(400)})(t, 400, "", "The owner permission cannot be removed from the only organization owner.")
	put("ada", adminapi.UserSpec{Active: new(false)})(t, 400, "", "Cannot deactivate the only organization owner")
	fails(w.Users(key).Delete(t.Context(), "ada"))(t, 400, "", "Cannot deactivate the only organization owner")
	w.clock.Advance(1 << 40)
	if !w.works(ada.Key) {
		t.Error("the owner can't authenticate any more")
	}
	// The organization's restrictions of addresses also apply here.
	restrict := adminapi.OrganizationSpec{Domains: []adminapi.Domain{{Domain: "corp.example"}}, Settings: map[string]any{"emails_restricted_to_domains": true}}
	must(w.PutOrganization(t.Context(), key, restrict))(t)
	put("x", adminapi.UserSpec{Email: new("xx@lab.example")})(t, 400, "", "Outside your domain.")
	must(w.Users(key).Put(t.Context(), "x", adminapi.UserSpec{Email: new("xx@corp.example")}))(t)
	put("x", adminapi.UserSpec{Email: new("ada@corp.example")})(t, 400, "", "Already has an account.")
}

// The initial password is set once, and mail about an account is sent once.
func TestUsersGetIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	spec := adminapi.UserSpec{Email: new("grace@corp.example"), Password: secret}
	if state := must(w.Users(key).Put(t.Context(), "g", spec))(t).State; !state.HasPassword || state.FullName != "grace" || state.Role != 400 {
		t.Errorf("it is %+v", state)
	}
	w.signsIn("grace@corp.example", secret).OK()
	w.Letters() // about the login
	changed(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{Password: secret + "-2"}))(t)
	w.signsIn("grace@corp.example", secret+"-2").Fails(403, "", "Your username or password is incorrect.")
	w.signsIn("grace@corp.example", secret).OK()
	w.Letters()

	spec = adminapi.UserSpec{Email: new("mary@corp.example"), Announce: true}
	if state := must(w.Users(key).Put(t.Context(), "m", spec))(t).State; state.HasPassword {
		t.Errorf("it is %+v", state)
	}
	letter := w.Letter()
	if letter.To != "mary@corp.example" || letter.Subject != "Your account for Engineering" || !strings.HasPrefix(letter.Link, "https://eng.chat.example/reset/") {
		t.Errorf("%+v", letter)
	}
	changed(w.Users(key).Put(t.Context(), "m", spec))(t)
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("the same again sent %+v", letters)
	}
	if _, err := w.Logins.Reset(t.Context(), w.org().ID, strings.TrimPrefix(letter.Link, "https://eng.chat.example/reset/"), secret); err != nil {
		t.Error(err)
	}
	w.signsIn("mary@corp.example", secret).OK()
	w.Letters()
	// If passwords are disabled, the mail has only the server's address.
	methods := map[string]any{"authentication_methods": map[string]bool{"Email": false, "idp_1": true}}
	must(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Settings: methods}))(t)
	must(w.Users(key).Put(t.Context(), "o", adminapi.UserSpec{Email: new("otto@corp.example"), Announce: true}))(t)
	if letter := w.Letter(); letter.Link != "https://eng.chat.example" {
		t.Errorf("%+v", letter)
	}
}

// An invited person gets the streams of the invitation, and what an interrupted call has begun is completed later.
func TestUsersSettle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	ada.Subscribe("docks")
	dock := storetest.Values[int64](w.sql(), "select stream_id from streams where name = 'docks'")
	ada.Do(http.MethodPost, "/invites", params{"invitee_emails": "grace@corp.example", "invite_as": 600, "stream_ids": dock}).OK()
	w.Letters()
	spec := adminapi.UserSpec{Email: new("grace@corp.example")}
	w.Interrupt(func() { fails(w.Users(key).Put(t.Context(), "g", spec))(t, 500, "", "Internal server error") })
	state := changed(w.Users(key).Put(t.Context(), "g", spec))(t)
	streams := storetest.Values[string](w.sql(), "select name from subscriptions join streams using (org_id, stream_id) where user_id = $1", state.ID)
	if state.Role != 600 || !cmp.Equal(streams, []string{"docks"}) {
		t.Errorf("%+v in %v", state, streams)
	}
	if left := storetest.Values[int64](w.sql(), "select count(*) from invitations where invited_at <> 'epoch'"); left[0] != 0 {
		t.Error("the invitation is still there")
	}
	w.sql().Exec("update streams set is_default = true where name = 'docks'")
	w.Interrupt(func() {
		fails(w.Owners(key).Put(t.Context(), "bob@corp.example", adminapi.OwnerSpec{}))(t, 500, "", "Internal server error")
	})
	if in := storetest.Values[int64](w.sql(), "select count(*) from subscriptions join users using (org_id, user_id) where email = 'bob@corp.example'"); in[0] == 0 {
		t.Error("the owner is in no stream")
	}
}

// A person is added to user groups, and removed only from groups to which a call has added them.
func TestUserInGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	grace := must(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{Email: new("grace@corp.example")}))(t).State
	for _, name := range []string{"ops", "desk", "own"} {
		members := []int64{}
		if name == "own" {
			members = append(members, grace.ID)
		}
		ada.Do(http.MethodPost, "/user_groups/create", params{"name": name, "description": "", "members": members}).OK()
	}
	queues := map[string]*servicetest.Queue{"ada": ada.Everything(nil)}
	put := func(names []string, want ...string) {
		t.Helper()
		state := must(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{Groups: names}))(t).State
		if diff := cmp.Diff(append([]string{}, want...), state.Groups); diff != "" {
			t.Errorf("groups (-want +got):\n%s", diff)
		}
	}
	put([]string{"desk", "ops"}, "desk", "ops", "own")
	put([]string{"desk", "ops"}, "desk", "ops", "own")
	if got := kinds(w, queues); !cmp.Equal(got, []string{"user_group add_members", "user_group add_members"}) {
		t.Errorf("events %v", got)
	}
	put([]string{"desk", "own"}, "desk", "own")
	put(nil, "desk", "own")
	fails(w.Users(key).Put(t.Context(), "g", adminapi.UserSpec{Groups: []string{"desk", "sails", "ropes"}}))(t, 400, "BAD_REQUEST",
		"User group(s) (sails, ropes) do not exist.")
	w.sql().Exec("delete from user_groups where name = 'own'")
	put([]string{})
	put([]string{"ops"}, "ops")
	must(w.Users(key).Delete(t.Context(), "g"))(t)
	if in := storetest.Values[int64](w.sql(), "select count(*) from user_groups where $1 = any (members)", grace.ID); in[0] != 0 {
		t.Errorf("still in %d groups", in[0])
	}
}

// The user groups in a document are all groups that the caller manages. Groups of people and of an identity provider
// aren't changed.
func TestUserGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	bob := w.Account(w.org(), user.Draft{FullName: "Bob", Role: actor.Member, RealEmail: "bob@corp.example"})
	for _, name := range []string{"people's", "provider's"} {
		ada.Do(http.MethodPost, "/user_groups/create", params{"name": name, "description": "", "members": []id.User{bob.ID}}).OK()
	}
	w.sql().Exec("update user_groups set external_id = 'p' where name = 'provider''s'")
	queues := map[string]*servicetest.Queue{"ada": ada.Everything(nil)}
	put := func(groups []adminapi.UserGroupSpec, names ...string) []adminapi.UserGroup {
		t.Helper()
		return changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{UserGroups: groups}))(t, names...).UserGroups
	}
	groups := []adminapi.UserGroupSpec{
		{Name: "ops", Description: new("On call"), Members: []string{"BOB@corp.example", "ada@corp.example", "zoe@corp.example", "bob@corp.example"}},
		{Name: "desk"},
	}
	current := put(groups, "user_groups")
	want := []adminapi.UserGroup{
		{ID: current[0].ID, Name: "desk", Members: []string{}},
		{ID: current[1].ID, Name: "ops", Description: "On call", Members: []string{"ada@corp.example", "bob@corp.example"}},
	}
	if diff := cmp.Diff(want, current); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	put(groups)
	put(nil)
	if got := kinds(w, queues); !cmp.Equal(got, []string{"user_group add", "user_group add"}) {
		t.Errorf("events %v", got)
	}
	// People rename the group and change its members. If the document omits members, the call doesn't change them.
	ada.Do(http.MethodPatch, fmt.Sprintf("/user_groups/%d", current[1].ID), params{"name": "mine", "description": "ours"}).OK()
	ada.Do(http.MethodPost, fmt.Sprintf("/user_groups/%d/members", current[1].ID), params{"delete": []id.User{bob.ID}}).OK()
	ada.Do(http.MethodPost, fmt.Sprintf("/user_groups/%d/members", current[0].ID), params{"add": []id.User{bob.ID}}).OK()
	must(w.Users(key).Put(t.Context(), "z", adminapi.UserSpec{Email: new("zoe@corp.example")}))(t)
	want[0].Members = []string{"bob@corp.example"}
	want[1].Members = []string{"ada@corp.example", "bob@corp.example", "zoe@corp.example"}
	if diff := cmp.Diff(want, put(groups, "user_groups")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := func(group adminapi.UserGroupSpec, code, msg string) {
		t.Helper()
		fails(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{UserGroups: append(groups[:2:2], group)}))(t, 400, code, msg)
	}
	// The order of the list doesn't matter: people give a group the name of another, which is new and comes before it.
	ada.Do(http.MethodPatch, fmt.Sprintf("/user_groups/%d", current[1].ID), params{"name": "crew"}).OK()
	if now := put(append([]adminapi.UserGroupSpec{{Name: "crew"}}, groups...), "user_groups"); len(now) != 3 || now[2].ID != current[1].ID {
		t.Errorf("they are %+v", now)
	}
	put(groups, "user_groups")
	refused(adminapi.UserGroupSpec{Name: "people's"}, "ALREADY_EXISTS", "The user group 'people's' already exists; set adopt to take it over.")
	refused(adminapi.UserGroupSpec{Name: "provider's", Adopt: true}, "BAD_REQUEST", "The user group 'provider's' is managed by an identity provider: choose another name, or remove it there.")
	refused(adminapi.UserGroupSpec{Name: "ops"}, "BAD_REQUEST", "The user group 'ops' is listed twice.")
	refused(adminapi.UserGroupSpec{Name: " "}, "BAD_REQUEST", "A user group's name must have 1 to 100 characters, without control characters.")
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("p%d@corp.example", i)
	}
	w.sql().Exec("insert into users (org_id, email, full_name, settings, joined_at) select $1, 'p' || n || '@corp.example', 'Pip', '{}', now() from generate_series(0, 1000) n", w.org().ID)
	refused(adminapi.UserGroupSpec{Name: "all", Members: many}, "BAD_REQUEST", "Too many members: the group would have 1001, the limit is 1000.")

	current = put([]adminapi.UserGroupSpec{groups[0], {Name: "people's", Adopt: true}}, "user_groups")
	if len(current) != 2 || current[0].Name != "ops" || current[1].Name != "people's" || !cmp.Equal(current[1].Members, []string{"bob@corp.example"}) {
		t.Errorf("they are %+v", current)
	}
	if current := put([]adminapi.UserGroupSpec{}, "user_groups"); len(current) != 0 {
		t.Errorf("they are %+v", current)
	}
	if left := storetest.Values[string](w.sql(), "select name from user_groups"); !cmp.Equal(left, []string{"provider's"}) {
		t.Errorf("%v are left", left)
	}
}
