package moving_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// newer imports an archive with these tables, and returns the organization with the reasons in the report.
func newer(t *testing.T, w *servicetest.World, subdomain string, realm map[string]rows) (made int64, left map[string]int) {
	t.Helper()
	o, report, err := load(t, w, write(t, realm), subdomain)
	if err != nil {
		t.Fatal(err)
	}
	return int64(o), report.Left()
}

// leaves reports whether one of the report's reasons contains a text.
func leaves(left map[string]int, text string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(left)), func(why string) bool { return strings.Contains(why, text) })
}

// A setting in a newer form becomes the equivalent setting. If there is none, it becomes the strictest value.
func TestNewerSettings(t *testing.T) {
	t.Parallel()
	const everyone, members, full, moderators, admins, nobody, invented = 1, 2, 3, 4, 5, 7, 8
	w := servicetest.New(t)
	type values = map[string]any
	account := func(policy any) map[string]any {
		return map[string]any{"id": 5, "email": "a@x.example", "full_name": "Ann", "is_active": true, "email_address_visibility": policy}
	}
	for i, test := range []struct {
		setting string
		want    any
		exact   bool // whether the report has no entry for it
		given   values
		tables  map[string]rows
	}{
		{setting: "create_stream_policy", want: 3, exact: true, given: values{"create_stream_policy": 3, "can_create_public_channel_group": nobody}}, // the form of this server
		{setting: "create_stream_policy", want: 2, given: values{"create_stream_policy": 4}},
		{setting: "create_stream_policy", want: 2, given: values{"create_stream_policy": "1"}},
		{setting: "create_stream_policy", want: 2, given: values{"create_stream_policy": nil}},
		{setting: "create_stream_policy", want: 3, exact: true, given: values{"create_public_stream_policy": 1, "create_private_stream_policy": 3}},
		{setting: "create_stream_policy", want: 2, given: values{"create_public_stream_policy": 1, "create_private_stream_policy": 4}},
		{setting: "create_stream_policy", want: 1, exact: true, given: values{"can_create_public_channel_group": everyone, "can_create_private_channel_group": members}},
		{setting: "create_stream_policy", want: 3, exact: true, given: values{"can_create_public_channel_group": full, "can_create_private_channel_group": members}},
		{setting: "create_stream_policy", want: 2, given: values{"can_create_public_channel_group": members, "can_create_private_channel_group": invented}},
		{setting: "create_stream_policy", want: 2, given: values{"can_create_public_channel_group": map[string]any{"direct_members": []int{1}}}},
		{setting: "create_stream_policy", want: 1, exact: true, given: values{"create_stream_by_admins_only": false}},
		{setting: "create_stream_policy", want: 2, exact: true, given: values{"create_stream_by_admins_only": true}},
		{setting: "invite_to_stream_policy", want: 2, given: values{"invite_to_stream_policy": 4}},
		{setting: "invite_to_stream_policy", want: 3, exact: true, given: values{"can_add_subscribers_group": full}},
		{setting: "invite_to_stream_policy", want: 2, given: values{"can_add_subscribers_group": moderators}},
		{setting: "bot_creation_policy", want: 3, given: values{"bot_creation_policy": 4}},
		{setting: "bot_creation_policy", want: 1, exact: true, given: values{"can_create_bots_group": members, "can_create_write_only_bots_group": members}},
		{setting: "bot_creation_policy", want: 3, given: values{"can_create_bots_group": admins, "can_create_write_only_bots_group": members}},
		{setting: "bot_creation_policy", want: 3, given: values{"can_create_bots_group": members, "can_create_write_only_bots_group": admins}},
		{setting: "private_message_policy", want: 2, given: values{"private_message_policy": 3}},
		{setting: "private_message_policy", want: 2, exact: true, given: values{"direct_message_permission_group": nobody, "direct_message_initiator_group": everyone}},
		{setting: "private_message_policy", want: 1, exact: true, given: values{"direct_message_permission_group": everyone, "direct_message_initiator_group": everyone}},
		{setting: "private_message_policy", want: 2, given: values{"direct_message_permission_group": everyone, "direct_message_initiator_group": members}},
		{setting: "user_group_edit_policy", want: 2, given: values{"user_group_edit_policy": 3}},
		{setting: "user_group_edit_policy", want: 2, exact: true, given: values{"can_manage_all_groups": admins, "can_create_groups": members}},
		{setting: "user_group_edit_policy", want: 2, given: values{"can_manage_all_groups": members, "can_create_groups": full}},
		{setting: "email_address_visibility", want: 3, exact: true, given: values{"email_address_visibility": 2}},
		{setting: "email_address_visibility", want: 3, exact: true, given: values{"email_address_visibility": 5}},
		{setting: "email_address_visibility", want: 4, given: values{"email_address_visibility": 6}},
		{setting: "email_address_visibility", want: 1, exact: true, tables: map[string]rows{"zerver_userprofile": {account(1)}, "zerver_realmuserdefault": {{"email_address_visibility": 1}}}},
		{setting: "email_address_visibility", want: 3, exact: true, tables: map[string]rows{"zerver_userprofile": {account(2)}, "zerver_realmuserdefault": {{"email_address_visibility": 1}}}},
		{setting: "email_address_visibility", want: 4, exact: true, tables: map[string]rows{"zerver_userprofile": {account(1)}, "zerver_realmuserdefault": {{"email_address_visibility": 4}}}},
		{setting: "email_address_visibility", want: 4, exact: true, tables: map[string]rows{"zerver_userprofile_mirrordummy": {account(4)}, "zerver_userprofile": {account(5)}}},
		{setting: "email_address_visibility", want: 4, tables: map[string]rows{"zerver_userprofile": {account("1")}}},
		{setting: "email_address_visibility", want: 3, exact: true, given: values{"email_address_visibility": 3}, tables: map[string]rows{"zerver_userprofile": {account(4)}}},
		{setting: "invite_by_admins_only", want: true, given: values{"invite_by_admins_only": 0}},
		{setting: "invite_by_admins_only", want: false, exact: true, given: values{"invite_to_realm_policy": 1}},
		{setting: "invite_by_admins_only", want: true, given: values{"invite_to_realm_policy": 3}},
		{setting: "invite_by_admins_only", want: false, exact: true, given: values{"can_invite_users_group": members}},
		{setting: "invite_by_admins_only", want: true, exact: true, given: values{"can_invite_users_group": admins}},
		{setting: "add_emoji_by_admins_only", want: false, exact: true, given: values{"add_custom_emoji_policy": 1}},
		{setting: "add_emoji_by_admins_only", want: true, given: values{"add_custom_emoji_policy": 4}},
		{setting: "add_emoji_by_admins_only", want: true, given: values{"can_add_custom_emoji_group": full}},
		{setting: "allow_community_topic_editing", want: true, exact: true, given: values{"edit_topic_policy": 5}},
		{setting: "allow_community_topic_editing", want: false, given: values{"edit_topic_policy": 1}},
		{setting: "allow_community_topic_editing", want: true, exact: true, given: values{"can_move_messages_between_topics_group": everyone}},
		{setting: "allow_community_topic_editing", want: false, given: values{"can_move_messages_between_topics_group": members}},
		{setting: "allow_message_deleting", want: true, exact: true, given: values{"delete_own_message_policy": 5}},
		{setting: "allow_message_deleting", want: false, given: values{"delete_own_message_policy": 1}},
		{setting: "allow_message_deleting", want: true, exact: true, given: values{"can_delete_own_message_group": everyone}},
		{setting: "allow_message_deleting", want: false, given: values{"can_delete_own_message_group": members}},
		{setting: "allow_edit_history", want: true, exact: true, given: values{"message_edit_history_visibility_policy": 1}},
		{setting: "allow_edit_history", want: false, given: values{"message_edit_history_visibility_policy": 2}},
		{setting: "emails_restricted_to_domains", want: true, given: values{"emails_restricted_to_domains": "yes"}},
		{setting: "emails_restricted_to_domains", want: true, exact: true, given: values{"restricted_to_domain": true}},
		{setting: "name_changes_disabled", want: true, given: values{"name_changes_disabled": 1}},
		{setting: "allow_message_editing", want: false, given: values{"allow_message_editing": "no"}},
		{setting: "upload_quota", want: 5 << 30, exact: true, given: values{"upload_quota_gb": 5}},
		{setting: "upload_quota", want: 7, exact: true, given: values{"upload_quota_gb": 5, "upload_quota": 7}}, // the form of this server
		{setting: "upload_quota", want: 0, exact: true, given: values{"upload_quota_gb": 1 << 40}},
	} {
		realm := map[string]any{"id": 1, "string_id": "x", "name": "Import"}
		maps.Copy(realm, test.given)
		all := map[string]rows{"zerver_realm": {realm}, "zerver_namedusergroup": groups()}
		maps.Copy(all, test.tables)
		made, left := newer(t, w, "s"+strings.Repeat("x", i), all)
		settings := organizationSettings(t, w, made)
		if want, _ := json.Marshal(test.want); string(settings[test.setting]) != string(want) {
			t.Errorf("%v%v: %s is %s, want %s", test.given, test.tables, test.setting, settings[test.setting], want)
		}
		if exact := !leaves(left, "as strict as possible"); exact != test.exact {
			t.Errorf("%v%v: the report has %v", test.given, test.tables, left)
		}
	}
}

// organizationSettings returns all settings of an organization.
func organizationSettings(t *testing.T, w *servicetest.World, of int64) map[string]json.RawMessage {
	t.Helper()
	subdomain := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select subdomain from organizations where org_id = $1", of)[0]
	o, err := w.Orgs.ByHost(t.Context(), subdomain+"."+servicetest.Host)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o.Settings)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// An unknown role grants no additional permissions.
func TestNewerRoles(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	people, want := rows{}, []string{}
	for i, test := range []struct {
		role         int
		admin, guest bool
		want         int
	}{
		{0, false, false, 400},
		{0, true, false, 200},
		{0, false, true, 600},
		{0, true, true, 600},
		{100, false, false, 100},
		{200, false, false, 200},
		{400, true, false, 400},
		{600, true, false, 600},
		{300, true, false, 400},
		{399, false, false, 400},
		{401, false, false, 600},
		{700, false, false, 600},
		{150, false, false, 600},
		{1, true, false, 600},
		{-100, true, false, 600},
		{65636, false, false, 600}, // 100 in 16 bits
	} {
		people = append(people, map[string]any{
			"id": i + 1, "email": fmt.Sprintf("a%02d@x.example", i), "full_name": "Ann", "is_active": true,
			"role": test.role, "is_realm_admin": test.admin, "is_guest": test.guest,
		})
		want = append(want, strconv.Itoa(test.want))
	}
	made, left := newer(t, w, "roles", map[string]rows{"zerver_userprofile": people})
	got := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select role::text from users where org_id = $1 and not system order by email", made)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := left["accounts with unknown roles get the next lower role"]; n != 8 {
		t.Errorf("the report has %v", left)
	}
}

// Newer archives have templates for the addresses of linkifiers.
func TestNewerLinkifiers(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	all := rows{{"id": 1, "pattern": "old-(?P<id>[0-9]+)", "url_format_string": "https://x.example/%(id)s"}}
	for i, template := range []string{
		"https://x.example/{id}", "https://x.example/{id}/of/{id}#a", // valid templates
		"https://x.example/{+id}", "https://x.example{?id}", "https://x.example/{id:3}", "https://x.example/{id*}", "https://x.example/%(id)s", "https://x.example/{id}%20",
		"https://x.example/{{id}}", "https://x.example/{}", "{", "https://x.example/{other}", "javascript:{id}", strings.Repeat("{id}", 100_000),
	} {
		all = append(all, map[string]any{"id": i + 2, "pattern": fmt.Sprintf("%c-(?P<id>[0-9]+)", 'a'+i), "url_template": template})
	}
	made, left := newer(t, w, "links", map[string]rows{"zerver_realmfilter": all})
	got := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select url_format from linkifiers where org_id = $1 order by linkifier_id", made)
	if diff := gocmp.Diff([]string{"https://x.example/%(id)s", "https://x.example/%(id)s", "https://x.example/%(id)s/of/%(id)s#a"}, got); diff != "" {
		t.Error(diff)
	}
	if left["linkifiers with addresses that can't be made here"] != 9 || !leaves(left, "linkifiers: ") {
		t.Errorf("the report has %v", left)
	}
}

// The report lists everything that wasn't imported, up to a limit.
func TestUnreadTables(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	all := map[string]rows{
		"zerver_savedsnippet": {{"id": 1}, {"id": 2}}, "zerver_empty": {}, "zerver_userpresence": {{"id": 1}}, "zerver_userprofile": {person(1, "a@x.example", "Ann")},
		strings.Repeat("a", 5000): {{}}, "zerver_\x00": {{}, {}, {}},
	}
	for i := range 60 {
		all[fmt.Sprintf("zzz%d", i)] = rows{{}, {}}
	}
	_, left := newer(t, w, "unread", all)
	const unknown = "rows of a table that isn't known here, "
	if len(left) != 51 || left[unknown+"zerver_savedsnippet"] != 2 || left[unknown+"zerver_"] != 3 || left["rows of further tables that aren't known here"] != 2*(60-(50-3)) || left[unknown+strings.Repeat("a", 99)+"…"] != 1 {
		t.Errorf("%d, %v", len(left), left)
	}

	// A member that isn't a table is ignored.
	dir := write(t, nil)
	name := filepath.Join(dir, "realm.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(`{"import_source": "x", "version": {"a": {"b": [1, 2]}, "c": null}, "nothing": null, "flag": false, "numbers": [1, [2], {}], ` + string(text[1:]))
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, report, err := load(t, w, dir, "objects")
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(map[string]int{unknown + "version": 2, unknown + "numbers": 3}, report.Left()); diff != "" {
		t.Error(diff)
	}
}

// In newer archives, the settings for streams with notifications have other names. A stream that doesn't exist isn't
// set.
func TestNewerNotices(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	for subdomain, test := range map[string]struct {
		given map[string]any
		want  [2]string
	}{
		"notices-newer": {map[string]any{"new_stream_announcements_stream": 1, "signup_announcements_stream": 2}, [2]string{"hall", "yard"}},
		"notices-older": {map[string]any{"notifications_stream": 1, "signup_notifications_stream": 2}, [2]string{"hall", "yard"}},
		"notices-both":  {map[string]any{"notifications_stream": 1, "new_stream_announcements_stream": 2}, [2]string{"hall", ""}},
		"notices-none":  {map[string]any{"new_stream_announcements_stream": 404, "signup_announcements_stream": nil}, [2]string{"", ""}},
	} {
		realm := map[string]any{"id": 1, "string_id": "x", "name": "Import"}
		maps.Copy(realm, test.given)
		made, _ := newer(t, w, subdomain, map[string]rows{"zerver_realm": {realm}, "zerver_stream": {{"id": 1, "name": "hall"}, {"id": 2, "name": "yard"}}})
		settings, got := organizationSettings(t, w, made), [2]string{}
		for i, name := range []string{"notifications_stream_id", "signup_notifications_stream_id"} {
			found := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select name from streams where org_id = $1 and stream_id = $2::bigint", made, string(settings[name]))
			got[i] = strings.Join(found, " ")
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", subdomain, got, test.want)
		}
	}
}
