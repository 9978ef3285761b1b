package moving_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/servicetest"
)

// rows are the rows that a test writes to an archive.
type rows = []map[string]any

// write creates an archive of an organization with these tables in addition to its own.
func write(t *testing.T, realm map[string]rows, messages ...map[string]rows) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]rows{"zerver_realm": {{"id": 1, "string_id": "x", "name": "Import"}}}
	maps.Copy(all, realm)
	put := func(name string, content any) {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("realm.json", all)
	put("attachment.json", map[string]rows{"zerver_attachment": {}})
	for i, m := range messages {
		put(fmt.Sprintf("messages-%06d.json", i+1), m)
	}
	return dir
}

func person(number int, email, name string) map[string]any {
	return map[string]any{"id": number, "email": email, "full_name": name, "is_active": true, "role": 400}
}

func said(number, sender, recipient int, content string) map[string]any {
	return map[string]any{"id": number, "sender": sender, "recipient": recipient, "subject": "t", "content": content, "date_sent": 1.6e9 + float64(number)}
}

// Invalid rows are left out, and the rest is imported.
func TestHostileRows(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	dir := write(t, map[string]rows{
		"zerver_userprofile": {
			person(1, "a@x.example", "Ann"), person(2, "A@X.example", "Ann"), person(3, "no address", "C\x00D"), person(4, "d@x.example", strings.Repeat("x", 5000)),
			person(9223372036854775807, "e@x.example", "Eve"),
			{"id": 5, "email": "bot@x.example", "full_name": "Bot", "is_bot": true, "bot_type": 99, "bot_owner": 5},
			{"id": 11, "email": "u@x.example", "full_name": "UU", "timezone": strings.Repeat("z", 900)},
			{"id": 12, "email": "v@x.example", "full_name": "VV", "timezone": "Local"},
			{"id": 7, "email": "p@x.example", "full_name": "P", "scim": map[string]any{"user_name": "p\x00"}},
			{"id": 8, "email": "q@x.example", "full_name": "Q", "scim": map[string]any{"user_name": "q", "external_id": strings.Repeat("q", 1001)}},
			{"id": 9, "email": "s@x.example", "full_name": "SS", "scim": map[string]any{"user_name": "s"}},
			{"id": 10, "email": "t@x.example", "full_name": "TT", "scim": map[string]any{"user_name": "S"}},
			{"id": 6, "email": "r@x.example", "full_name": "R", "role": -7, "is_active": true, "timezone": "Europe/Berlin", "emojiset": "<script>", "color_scheme": "x"},
		},
		"zerver_stream": {
			{"id": 1, "name": "hall", "stream_post_policy": 77},
			{"id": 2, "name": "HALL"},
			{"id": 3, "name": ""},
			{"id": 4, "name": strings.Repeat("é", 300)},
			{"id": 6, "name": "news", "can_send_message_group": 17},
			{"id": 7, "name": "yard", "stream_post_policy": 3},
			{"id": 5, "name": "nul\x00", "message_retention_days": -9, "description": "<script>alert(1)</script>"},
		},
		"zerver_recipient": {{"id": 11, "type": 2, "type_id": 1}, {"id": 12, "type": 2, "type_id": 99}, {"id": 13, "type": 1, "type_id": 4}, {"id": 14, "type": 3, "type_id": 1}, {"id": 15, "type": 9}},
		"zerver_subscription": {
			{"user_profile": 1, "recipient": 11, "active": true, "color": "javascript:"},
			{"user_profile": 1, "recipient": 11, "active": false},
			{"user_profile": 77, "recipient": 11},
			{"user_profile": 1, "recipient": 14},
			{"user_profile": 4, "recipient": 14},
			{"user_profile": 5, "recipient": 14},
			{"user_profile": 99, "recipient": 14},
		},
		"zerver_reaction": {
			{"user_profile": 1, "message": 1, "emoji_name": "x", "emoji_code": "1f600", "reaction_type": "unicode_emoji"},
			{"user_profile": 1, "message": 1, "emoji_name": "x", "emoji_code": "1f600", "reaction_type": "unicode_emoji"},
			{"user_profile": 1, "message": 404, "emoji_name": "x", "emoji_code": "1f600", "reaction_type": "unicode_emoji"},
			{"user_profile": 1, "message": 1, "emoji_name": "x", "emoji_code": "7", "reaction_type": "realm_emoji"},
			{"user_profile": 1, "message": 1, "emoji_name": "x", "emoji_code": "<b>", "reaction_type": "unicode_emoji"},
			{"user_profile": 1, "message": 1, "emoji_name": "x", "emoji_code": "1", "reaction_type": "sql"},
		},
		"zerver_realmemoji":              {{"id": 1, "name": "../../x", "file_name": "../../../etc/passwd"}, {"id": 2, "name": "ok", "file_name": "none.png"}},
		"zerver_realmfilter":             {{"id": 1, "pattern": "(((((", "url_format_string": "x"}, {"id": 2, "pattern": "(a+)+$", "url_format_string": "javascript:%(a)s"}},
		"zerver_customprofilefield":      {{"id": 1, "name": "f", "field_type": 3, "field_data": "{"}, {"id": 2, "name": "g", "field_type": 99}, {"id": 3, "name": "h", "field_type": 1}},
		"zerver_customprofilefieldvalue": {{"user_profile": 1, "field": 3, "value": strings.Repeat("v", 5000)}, {"user_profile": 1, "field": 1, "value": "x"}},
		"zerver_defaultstream":           {{"id": 1, "stream": 6}},
		"zerver_defaultstreamgroup": {
			{"id": 1, "name": strings.Repeat("x", 61), "description": strings.Repeat("x", 2000), "streams": []int{1, 404, 6, 7, 1}},
			{"id": 2, "name": " \x00\u200b", "streams": []int{1}},
			{"id": 3, "name": strings.Repeat("x", 62)},
		},
		"zerver_usergroup":           {{"id": 1, "name": "g"}, {"id": 2, "name": "g"}, {"id": 3, "name": "\u200b\u2060"}, {"id": 4, "name": "a\u001bb"}, {"id": 5, "name": "line\nbreak"}},
		"zerver_usergroupmembership": {{"user_group": 1, "user_profile": 1}, {"user_group": 1, "user_profile": 1}, {"user_group": 1, "user_profile": 404}},
		"zerver_mutedtopic":          {{"user_profile": 1, "stream": 1, "topic_name": "a\x00"}, {"user_profile": 1, "stream": 1, "topic_name": "\u200b"}, {"user_profile": 1, "stream": 404, "topic_name": "a"}},
		"zerver_usertopic": {
			{"user_profile": 1, "stream": 2, "topic_name": "muted", "visibility_policy": 1, "last_updated": 5},
			{"user_profile": 1, "stream": 2, "topic_name": "followed", "visibility_policy": 3},
			{"user_profile": 1, "stream": 404, "topic_name": "a", "visibility_policy": 1},
		},
		"zerver_scheduledmessage": {
			{"id": 1, "sender": 1, "recipient": 11, "content": "in time", "scheduled_timestamp": 4e9, "delivery_type": 77},
			{"id": 2, "sender": 1, "recipient": 11, "content": "long ago", "scheduled_timestamp": 5},
			{"id": 3, "sender": 1, "recipient": 11, "content": "done", "scheduled_timestamp": 4e9, "delivered": true},
			{"id": 4, "sender": 404, "recipient": 11, "content": "whose?", "scheduled_timestamp": 4e9},
			{"id": 5, "sender": 1, "recipient": 404, "content": "whither?", "scheduled_timestamp": 4e9},
			{"id": 6, "sender": 1, "recipient": 11, "content": " \x00", "scheduled_timestamp": 4e9},
			{"id": 7, "sender": 1, "recipient": 11, "content": strings.Repeat("x", 10_001), "scheduled_timestamp": 4e9},
			{"id": 8, "sender": 1, "recipient": 11, "content": "with a form", "scheduled_timestamp": 4e9, "widget_content": "\x00"},
		},
		"zerver_service": {{"user_profile": 5, "base_url": "file:///etc/passwd"}},
	}, map[string]rows{
		"zerver_message": {
			said(3, 1, 11, "third"), said(1, 1, 11, "@**Ann|1** <script>alert(1)</script> nul\x00 \xff"), said(1, 1, 11, "again"), said(2, 404, 11, "nobody's"), said(4, 1, 12, "nowhere"),
			said(5, 1, 15, "neither"), said(6, 1, 13, "private"), said(7, 1, 14, "to several"), said(8, 1, 11, "  "), said(9, 1, 11, strings.Repeat("x", 200_000)),
			maps.Collect(maps.All(map[string]any{"id": 10, "sender": 1, "recipient": 11, "content": "edited", "date_sent": 1.6e9 + 10, "rendered_content": "<script>", "edit_history": `[{"user_id": 1, "prev_content": "<b>was</b>", "prev_rendered_content": "<script>bad</script>", "timestamp": 5}]`})),
			maps.Collect(maps.All(map[string]any{"id": 11, "sender": 1, "recipient": 11, "content": "x", "subject": " \u200b\u3164", "date_sent": 1.6e9 + 11, "edit_history": `{"cycle": [[[]]]}`})),
		},
		"zerver_usermessage": {{"user_profile": 1, "message": 1, "flags_mask": 9223372036854775807}, {"user_profile": 1, "message": 404, "flags_mask": 1}, {"user_profile": 1, "message": 3, "flags_mask": 0}},
	}, map[string]rows{"zerver_message": {said(2000, 1, 11, "later"), said(12, 1, 11, "sooner")}})
	if err := os.WriteFile(filepath.Join(dir, "attachment.json"), []byte(`{"zerver_attachment": [
		{"id": 1, "owner": 1, "path_id": "../../../etc/passwd", "file_name": "a"}, {"id": 2, "owner": 1, "path_id": "missing", "file_name": "a"},
		{"id": 3, "owner": 404, "path_id": "x", "file_name": "a"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	made, report, err := load(t, w, dir, "hostile")
	if err != nil {
		t.Fatal(err)
	}
	for why, n := range report.Left() {
		t.Logf("%d %s", n, why)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	content := storetest.Values[string](db, "select left(content, 20) from messages where org_id = $1 order by message_id", made)
	want := []string{"@**Ann|", "third", "private", "to several", "xxxxx", "edited", "x", "sooner", "later"}
	if len(content) != len(want) {
		t.Fatalf("%q", content)
	}
	for i := range want {
		if !strings.HasPrefix(content[i], want[i]) {
			t.Errorf("message %d: %q, want %q", i, content[i], want[i])
		}
	}
	for what, sql := range map[string]string{
		"HTML":      "select coalesce(string_agg(rendered || coalesce(edits::text, ''), ' '), '') from messages where org_id = $1",
		"streams":   "select coalesce(string_agg(rendered_description, ' '), '') from streams where org_id = $1",
		"reactions": "select string_agg(emoji_code, ' ') from reactions where org_id = $1",
	} {
		if got := storetest.Values[string](db, sql, made)[0]; strings.Contains(got, "<script") || what == "reactions" && got != "1f600" {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := storetest.Values[string](db, "select name || ' ' || post_policy from streams where org_id = $1 and name = any ('{hall,news,yard,stream}')  order by 1", made); !slices.Equal(got, []string{"hall 2", "news 2", "yard 2"}) {
		t.Errorf("who may send: %q", got)
	}
	if got := storetest.Values[string](db, "select topic from muted_topics where org_id = $1 order by 1", made); !slices.Equal(got, []string{"(no topic)", "a", "muted"}) {
		t.Errorf("muted topics: %q", got)
	}
	if got := storetest.Values[string](db, "select regexp_replace(name, '[0-9]+', 'N') from user_groups where org_id = $1 order by group_id", made); !slices.Equal(got, []string{"g", "group N", "group N", "group N", "line break"}) {
		t.Errorf("groups: %q", got)
	}
	if got := storetest.Values[string](db, "select distinct topic from messages where org_id = $1 and stream_id is not null order by 1", made); !slices.Equal(got, []string{"(no topic)", "t"}) {
		t.Errorf("topics: %q", got)
	}
	if got := storetest.Values[string](db, "select concat_ws(' ', length(g.name), length(g.description), s.name) from default_stream_groups g left join default_stream_group_streams using (org_id, group_id) left join streams s using (org_id, stream_id) where org_id = $1 order by 1", made); !slices.Equal(got, []string{"60 1024 hall", "60 1024 yard"}) {
		t.Errorf("groups of default streams: %q", got)
	}
	if got := storetest.Values[string](db, "select user_name from scim_users where org_id = $1", made); !slices.Equal(got, []string{"s"}) {
		t.Errorf("names at providers: %q", got)
	}
	if got := storetest.Values[string](db, "select content from scheduled_messages where org_id = $1", made); !slices.Equal(got, []string{"in time"}) {
		t.Errorf("scheduled messages: %q", got)
	}
	if got := storetest.Values[string](db, "select timezone from users where org_id = $1 and timezone <> ''", made); !slices.Equal(got, []string{"Europe/Berlin"}) {
		t.Errorf("time zones: %q", got)
	}
	if n := storetest.Values[int64](db, "select count(distinct lower(email)) from users where org_id = $1", made)[0]; n != 14 {
		t.Errorf("%d accounts", n)
	}
	if n := storetest.Values[int64](db, "select count(*) from users where org_id = $1 and active and email ilike 'a@x.example'", made)[0]; n != 1 {
		t.Errorf("%d accounts have the address", n)
	}
}

// If an archive can't be read, the error contains the position, and no account can access what was imported.
func TestBrokenArchives(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	for name, change := range map[string]func(dir string) error{
		"no realm": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "realm.json"), []byte(`{"zerver_realm": []}`), 0o600)
		},
		"cut off": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "realm.json"), []byte(`{"zerver_realm": [{"id": 1}`), 0o600)
		},
		"no messages": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "messages-000001.json"), []byte(`{"zerver_message": [{"id": "x"}]}`), 0o600)
		},
		"bad id": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "messages-000001.json"), []byte(`{"zerver_message": [{"id": -1}]}`), 0o600)
		},
		"half of attachment.json": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "attachment.json"), []byte(`{"zerver_attachment": [{"id": 1}`), 0o600)
		},
		"a link": func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "messages-000001.json")) },
	} {
		dir := write(t, nil)
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		_, _, err := load(t, w, dir, "broken")
		if err == nil || !strings.Contains(err.Error(), ".json") {
			t.Errorf("%s: %v", name, err)
		}
		if n := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from organizations where subdomain = 'broken' and not deactivated")[0]; n != 0 {
			t.Errorf("%s: the organization exists", name)
		}
	}
}

// An interrupted import continues, and the organization can't be used before it is complete.
func TestContinue(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	messages := rows{}
	for i := range 2500 {
		messages = append(messages, said(i+1, 1, 11, fmt.Sprintf("message %d", i)))
	}
	dir := write(t, map[string]rows{
		"zerver_userprofile": {person(1, "a@x.example", "Ann")}, "zerver_stream": {{"id": 1, "name": "hall"}},
		"zerver_recipient": {{"id": 11, "type": 2, "type_id": 1}},
	}, map[string]rows{"zerver_message": messages[:1000]}, map[string]rows{"zerver_message": messages[1000:]})
	avatars := filepath.Join(dir, archive.AvatarFolder)
	if err := errors.Join(os.Mkdir(avatars, 0o700),
		os.WriteFile(filepath.Join(avatars, archive.RecordsFile), []byte(`[{"realm_id": 1, "user_profile_id": 1, "path": "1.png"}]`), 0o600),
		os.WriteFile(filepath.Join(avatars, "1.png"), []byte(servicetest.PNG(t, 64, 64, color.White)), 0o600)); err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	// The table refuses one of the messages.
	db.Exec(`create function refuse() returns trigger language plpgsql as 'begin if new.content = ''message 1777'' then raise ''refused''; end if; return new; end'`)
	db.Exec("create trigger refuse before insert on messages for each row execute function refuse()")
	if _, _, err := load(t, w, dir, "big"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Fatal(err)
	}
	before := storetest.Values[int64](db, "select message_id from messages where sender_id in (select user_id from users where email = 'a@x.example') order by 1")
	if len(before) == 0 || len(before) >= 2500 {
		t.Fatalf("%d messages", len(before))
	}
	if deactivated := storetest.Values[bool](db, "select deactivated from organizations where subdomain = 'big'")[0]; !deactivated {
		t.Error("an incomplete organization can be used")
	}
	db.Exec("drop trigger refuse on messages")
	other := write(t, nil)
	if _, _, err := load(t, w, other, "big"); !errors.Is(err, transfer.ErrBegun) {
		t.Errorf("another archive: %v", err)
	}
	made, report, err := load(t, w, dir, "big")
	if err != nil {
		t.Fatal(err)
	}
	after := storetest.Values[string](db, "select content from messages where org_id = $1 order by message_id", made)
	if counts := report.Counts(); len(after) != 2500 || counts["messages"] != 2500 || counts["pictures of people"] != 1 {
		t.Fatalf("%d messages, %v", len(after), counts)
	}
	for i, content := range after {
		if content != fmt.Sprintf("message %d", i) {
			t.Fatalf("message %d is %q", i, content)
		}
	}
	ids := storetest.Values[int64](db, "select message_id from messages where org_id = $1", made)
	for _, one := range before {
		if !slices.Contains(ids, one) {
			t.Fatalf("message %d is stored again", one)
		}
	}
	if _, _, err := load(t, w, dir, "big"); !errors.Is(err, transfer.ErrOther) {
		t.Errorf("a third time: %v", err)
	}
	if o, err := w.Orgs.ByHost(t.Context(), "big."+servicetest.Host); err != nil || o.Deactivated || o.Name != "Import" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, _, err := load(t, w, dir, "Not a label"); !errors.Is(err, org.ErrNotSubdomain) {
		t.Errorf("a bad name: %v", err)
	}
}

// A private conversation of more people than one can have is that of the first.
func TestManyInAConversation(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	people, members := rows{}, rows{}
	for i := range message.MaxRecipients + 2 {
		people = append(people, person(i+1, fmt.Sprintf("a%d@x.example", i), "Ann"))
		members = append(members, map[string]any{"recipient": 11, "user_profile": i + 1})
	}
	made, report, err := load(t, w, write(t, map[string]rows{
		"zerver_userprofile": people, "zerver_huddle": {{"id": 1}}, "zerver_recipient": {{"id": 11, "type": 3, "type_id": 1}}, "zerver_subscription": members,
	}, map[string]rows{"zerver_message": {said(1, 1, 11, "to all")}}), "many")
	if err != nil {
		t.Fatal(err)
	}
	got := storetest.Values[int](storetest.Connect(t, w.DatabaseURL), "select count(*)::int from conversation_members where org_id = $1", int64(made))
	if left := report.Left(); got[0] != message.MaxRecipients || left["members of private conversations beyond 300"] != 2 {
		t.Errorf("%d members; the report has %v", got[0], left)
	}
}
