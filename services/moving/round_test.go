package moving_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// export exports an organization to a folder, and returns the folder.
func export(t *testing.T, w *servicetest.World, of id.Org, options transfer.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	to, err := archive.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Exporter.Export(t.Context(), of, to, options); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// load imports an archive.
func load(t *testing.T, w *servicetest.World, dir, subdomain string) (id.Org, *transfer.Report, error) {
	t.Helper()
	in, err := archive.New(os.DirFS(dir))
	if err != nil {
		return 0, nil, err
	}
	made, report, err := w.Importer.Import(t.Context(), transfer.Plan{Archive: in, Subdomain: subdomain})
	return made.ID, report, err
}

// tables returns the rows of an archive by table.
type tables map[string][]map[string]any

func read(t *testing.T, dir string) tables {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := tables{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		one := tables{}
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for table, rows := range one {
			all[table] = append(all[table], rows...)
		}
	}
	return all
}

// named replaces ids by the names of their objects, so that two archives of the same organization are equal.
func (all tables) named() map[string][]string {
	names := map[string]map[float64]string{}
	name := func(table, kind string, of func(row map[string]any) string) {
		if names[kind] == nil {
			names[kind] = map[float64]string{}
		}
		for _, row := range all[table] {
			names[kind][row["id"].(float64)] = of(row)
		}
	}
	text := func(member string) func(map[string]any) string {
		return func(row map[string]any) string { return fmt.Sprint(row[member]) }
	}
	name(archive.Users, "user", text("delivery_email"))
	name(archive.SystemUsers, "user", text("email"))
	name(archive.Streams, "stream", text("name"))
	name(archive.Groups, "group", text("name"))
	name(archive.ProfileFields, "field", text("name"))
	name(archive.Clients, "client", text("name"))
	name(archive.Emoji, "emoji", text("name"))
	members := map[float64][]string{}
	for _, row := range all[archive.Subscriptions] {
		members[row["recipient"].(float64)] = append(members[row["recipient"].(float64)], names["user"][row["user_profile"].(float64)])
	}
	name(archive.Recipients, "recipient", func(row map[string]any) string {
		switch row["type"] {
		case 1.0:
			return names["user"][row["type_id"].(float64)]
		case 2.0:
			return names["stream"][row["type_id"].(float64)]
		}
		slices.Sort(members[row["id"].(float64)])
		return strings.Join(members[row["id"].(float64)], "+")
	})
	slices.SortFunc(all[archive.Messages], func(a, b map[string]any) int { return cmp.Compare(a["id"].(float64), b["id"].(float64)) })
	number := 0
	name(archive.Messages, "message", func(map[string]any) string { number++; return strconv.Itoa(number) })

	kinds := map[string]string{
		"user_profile": "user", "sender": "user", "owner": "user", "bot_owner": "user", "author": "user", "bot_profile": "user", "stream": "stream",
		"notifications_stream": "stream", "signup_notifications_stream": "stream", "default_sending_stream": "stream",
		"default_events_register_stream": "stream", "recipient": "recipient", "message": "message", "user_group": "group", "field": "field",
		"sending_client": "client",
	}
	out := map[string][]string{}
	for table, rows := range all {
		if table == archive.Recipients || table == archive.Huddles || table == archive.Clients {
			continue // contained in the names
		}
		for _, row := range rows {
			row = maps.Clone(row)
			for member, kind := range kinds {
				if number, ok := row[member].(float64); ok {
					row[member] = names[kind][number]
				}
			}
			for _, member := range []string{
				"id", "realm", "string_id", "file_name", "timestamp", "avatar_version", "path_id", "rendered_content", "edit_history", "emoji_code",
				"messages",
			} {
				delete(row, member)
			}
			if list, ok := row["streams"].([]any); ok {
				named := make([]string, len(list))
				for i, number := range list {
					named[i] = names["stream"][number.(float64)]
				}
				row["streams"] = named
			}
			if table == archive.Attachments {
				row["messages"] = len(all[table])
			}
			if table == archive.Users || table == archive.Messages || table == archive.Scheduled {
				row["content"] = withoutIDs(fmt.Sprint(row["content"]))
			}
			if table == archive.ProfileValues && strings.HasPrefix(fmt.Sprint(row["value"]), "[") {
				delete(row, "value")
			}
			if email, ok := row["email"].(string); ok && strings.HasPrefix(email, "user") {
				delete(row, "email")
			}
			line, _ := json.Marshal(row)
			out[table] = append(out[table], string(line))
		}
		slices.Sort(out[table])
	}
	return out
}

// withoutIDs returns a message without the ids in it.
func withoutIDs(content string) string {
	if at := strings.Index(content, "/user_uploads/"); at >= 0 {
		content = content[:at]
	}
	if at := strings.Index(content, "|"); at >= 0 {
		content = content[:at]
	}
	return content
}

// full creates an organization with some objects of every kind.
func full(t *testing.T) *servicetest.World {
	t.Helper()
	w := servicetest.New(t)
	ann, bob, cid := w.Person("Ann", actor.Owner), w.Person("Bob", actor.Member), w.Person("Cid", actor.Guest)
	ok := func(a servicetest.Account, method, path string, p params) servicetest.Answer {
		t.Helper()
		return a.Do(method, path, p).OK()
	}
	ann.Subscribe("hall", "boiler", "yard")
	bob.Subscribe("hall", "boiler")
	streamID := func(name string) int64 {
		return storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select stream_id from streams where name = $1", name)[0]
	}
	ok(ann, "POST", "/users/me/subscriptions", params{
		"subscriptions": []map[string]string{{"name": "secret", "description": "of *some*"}}, "invite_only": true, "history_public_to_subscribers": false,
		"principals": []id.User{bob.ID, ann.ID},
	})
	ok(ann, "POST", "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": "hall"}}, "principals": []id.User{cid.ID}})
	for i, property := range []string{
		"is_muted", "pin_to_top", "desktop_notifications", "audible_notifications", "push_notifications", "email_notifications", "wildcard_mentions_notify",
	} {
		for stream, value := range map[string]bool{"hall": i%2 == 0, "boiler": i%2 == 1} {
			ok(bob, "POST", "/users/me/subscriptions/properties", params{
				"subscription_data": []map[string]any{{"stream_id": streamID(stream), "property": property, "value": value}},
			})
		}
	}
	ok(ann, "PATCH", fmt.Sprintf("/streams/%d", streamID("boiler")), params{"message_retention_days": 30, "stream_post_policy": 3})
	ok(ann, "POST", "/default_streams", params{"stream_id": streamID("boiler")})
	ok(ann, "DELETE", fmt.Sprintf("/streams/%d", streamID("yard")), nil)
	ok(ann, "POST", "/default_stream_groups/create", params{"group_name": "trades", "description": "of the plant", "stream_names": []string{"secret", "hall"}})
	ok(ann, "POST", "/default_stream_groups/create", params{"group_name": "none", "description": "", "stream_names": []string{}})
	ok(ann, "PATCH", "/realm", params{"message_content_edit_limit_seconds": 77, "waiting_period_threshold": 3, "description": "A **plant**"})
	ok(ann, "POST", "/realm/filters", params{"pattern": "#(?P<id>[0-9]+)", "url_format_string": "https://bugs.example/%(id)s"})
	ok(ann, "POST", "/realm/domains", params{"domain": "plant.example", "allow_subdomains": true})
	ok(ann, "POST", "/user_groups/create", params{"name": "crew", "description": "all", "members": []id.User{ann.ID, bob.ID}})
	field := struct {
		ID int64 `json:"id"`
	}{}
	ok(ann, "POST", "/realm/profile_fields", params{"name": "Phone", "hint": "h", "field_type": 1}).Decode(&field)
	people := field
	ok(ann, "POST", "/realm/profile_fields", params{"name": "Mentor", "field_type": 6}).Decode(&people)
	ok(bob, "PATCH", "/users/me/profile_data", params{"data": []map[string]any{{"id": field.ID, "value": "123"}, {"id": people.ID, "value": []id.User{ann.ID}}}})
	ann.PostFile("/realm/emoji/plant", nil, "p.png", servicetest.PNG(t, 64, 64, color.White)).OK()
	bob.PostFile("/realm/emoji/crane", nil, "p.png", servicetest.PNG(t, 64, 64, color.Black)).OK()
	ok(ann, "DELETE", "/realm/emoji/crane", nil)
	ann.PostFile("/users/me/avatar", nil, "a.png", servicetest.PNG(t, 600, 600, color.White)).OK()
	for _, path := range []string{"/realm/icon", "/realm/logo?night=false", "/realm/logo?night=true"} {
		ann.PostFile(path, nil, "a.png", servicetest.PNG(t, 100, 100, color.White)).OK()
	}
	bot := struct {
		UserID id.User `json:"user_id"`
	}{}
	ok(bob, "POST", "/bots", params{"full_name": "Helper", "short_name": "helper", "bot_type": 1, "default_sending_stream": "hall", "default_events_register_stream": "boiler", "default_all_public_streams": true}).Decode(&bot)
	ok(bob, "POST", "/bots", params{"full_name": "Caller", "short_name": "caller", "bot_type": 3, "payload_url": `"https://crane.example/hook"`, "interface_type": 2})
	ok(bob, "PUT", "/bot_storage", params{"storage": map[string]string{"k": "v\u00e9"}})
	ok(bob, "POST", "/users/me/alert_words", params{"alert_words": []string{"steam", "smoke", "water"}})
	ok(bob, "POST", "/users/me/status", params{"away": true, "status_text": "out"})
	ok(cid, "POST", "/users/me/status", params{"away": false, "status_text": "in"})
	ok(bob, "PATCH", "/settings/display", params{"color_scheme": 2})
	file := ann.Upload("plan.pdf", "%PDF-1.7 the plan")

	first := ann.SendStream("hall", "lunch", "hello @**Bob** and @**Bob|"+bob.ID.String()+"** #1 :plant: [f]("+file+")")
	second := bob.SendStream("hall", "Steam", "steam is up ☃ \U0001f600")
	bob.SendStream("hall", "lunch", "@**all** see #**boiler**")
	ann.SendStream("boiler", "x", "alone")
	ann.SendStream("secret", "s", "psst")
	direct := func(a servicetest.Account, content string, to ...id.User) {
		ok(a, "POST", "/messages", params{"type": "private", "to": to, "content": content})
	}
	direct(ann, "to you", bob.ID)
	direct(bob, "to me", bob.ID)
	direct(cid, "to all of us", ann.ID, bob.ID)
	ok(bob, "POST", fmt.Sprintf("/messages/%d/reactions", first), params{"emoji_name": "smile"})
	ok(ann, "POST", fmt.Sprintf("/messages/%d/reactions", second), params{"emoji_name": "plant"})
	ok(bob, "POST", "/messages/flags", params{"messages": []int64{first}, "op": "add", "flag": "read"})
	ok(bob, "POST", "/messages/flags", params{"messages": []int64{first}, "op": "add", "flag": "starred"})
	ok(ann, "PATCH", fmt.Sprintf("/messages/%d", first), params{"topic": "dinner"})
	ok(bob, "PATCH", "/users/me/subscriptions/muted_topics", params{"stream": "hall", "topic": "Steam", "op": "add"})
	ok(cid, "POST", "/mark_stream_as_read", params{"stream_id": streamID("hall")})
	ok(cid, "DELETE", "/users/me/subscriptions", params{"subscriptions": []string{"hall"}})
	ann.SendStream("hall", "after", "cid is gone")
	later := func(a servicetest.Account, p params) {
		t.Helper()
		p["deliver_at"] = time.Now().Add(240 * time.Hour).UTC().Format(time.RFC3339)
		ok(a, "POST", "/messages", p)
	}
	later(bob, params{"type": "stream", "to": "hall", "topic": "later", "content": "happy new year", "delivery_type": "send_later"})
	later(ann, params{"type": "private", "to": []id.User{bob.ID}, "content": "to you alone [f](" + file + ")", "delivery_type": "send_later"})
	later(cid, params{"type": "private", "to": []id.User{ann.ID, bob.ID}, "content": "to all of us", "delivery_type": "send_later"})
	later(ann, params{"type": "stream", "to": "hall", "topic": "later", "content": "do it", "delivery_type": "remind"})
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec(`update scheduled_messages set widget = '{"widget_type":"zform","extra_data":{"type":"choices","heading":"x","choices":[]}}' where topic = 'later' and not reminder`)
	db.Exec("update user_groups set external_id = 'crew-1' where name = 'crew'")
	db.Exec("insert into scim_users (org_id, user_id, user_name, external_id) values ($1, $2, 'bob@idp', 'b-1')", w.Org.ID, bob.ID)
	ok(cid, "GET", "/messages", params{"anchor": "newest", "num_before": 10, "num_after": 0})
	return w
}

// An organization that is exported, imported and exported again doesn't change.
func TestRound(t *testing.T) {
	t.Parallel()
	w := full(t)
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec(`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
		select r.org_id, message_id, u.user_id, reaction_type, emoji_code, emoji_name from reactions r join users u using (org_id) where emoji_name = 'smile' and u.full_name = 'Ann'`)
	first := export(t, w, w.Org.ID, transfer.Options{})
	made, report, err := load(t, w, first, "again")
	if err != nil {
		t.Fatal(err)
	}
	if left := report.Left(); len(left) > 0 {
		t.Errorf("left out: %v", left)
	}
	again := export(t, w, made, transfer.Options{})
	a, b := read(t, first).named(), read(t, again).named()
	if diff := gocmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	for _, table := range []string{
		archive.Realms, archive.Users, archive.Domains, archive.Emoji, archive.Linkifiers, archive.ProfileFields, archive.ProfileValues, archive.Streams, archive.StreamGroups,
		archive.Subscriptions, archive.Groups, archive.GroupMembers, archive.MutedTopics, archive.AlertWords, archive.Statuses, archive.BotStorage, archive.Services,
		archive.Reactions, archive.Messages, archive.UserMessages, archive.Attachments, archive.Scheduled,
	} {
		if len(a[table]) == 0 {
			t.Errorf("nothing is in %s", table)
		}
	}
	for folder, want := range map[string][]string{
		archive.IconFolder: {"icon.original", "logo.original", "night_logo.original"}, archive.AvatarFolder: {".original", ".png"},
	} {
		text, err := os.ReadFile(filepath.Join(first, folder, archive.RecordsFile))
		files := []archive.Record(nil)
		if err := errors.Join(err, json.Unmarshal(text, &files)); err != nil {
			t.Fatal(err)
		}
		got := lists.Map(files, func(r archive.Record) string { return strings.TrimLeft(path.Base(r.Path), "0123456789") })
		if !slices.Equal(got, want) {
			t.Errorf("files in %s: %v, want %v", folder, got, want)
		}
	}
	for _, table := range []string{"imports", "import_ids", "import_portions"} {
		if n := storetest.Values[int64](db, "select count(*) from "+table)[0]; n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	for what, sql := range map[string]string{
		"rendered":           "select rendered from messages where org_id = $1 order by message_id",
		"flags":              "select flags::text from messages where org_id = $1 order by message_id",
		"files in messages":  "select count(*)::text from attachment_messages where org_id = $1",
		"first messages":     "select (first_message_id is null)::text from streams where org_id = $1 order by name",
		"pictures of people": "select count(*)::text from users where org_id = $1 and avatar_path <> ''",
		"pictures":           "select concat(icon_path <> '', logo_path <> '', night_logo_path <> '') from organizations where org_id = $1",
		"upload space":       "select used::text from upload_space where org_id = $1",
		"names at providers": "select user_name || coalesce(external_id, '') || removed from scim_users where org_id = $1",
		"groups' names":      "select external_id from user_groups where org_id = $1",
		"statuses":           "select concat(text, away) from user_statuses where org_id = $1 order by text",
		"outgoing webhooks":  "select concat(url, interface) from bot_services where org_id = $1",
		"domains":            "select concat_ws(' ', domain, allow_subdomains) from email_domains where org_id = $1",
		"emoji":              "select concat_ws(' ', name, e.active, email) from emoji e join users u on u.user_id = author_id where e.org_id = $1 order by name",
		"accounts": `select row(u.full_name, u.role, u.bot_type, o.full_name, u.active, u.joined_at, u.default_all_public_streams, s.name, r.name)::text
			from users u left join users o on o.user_id = u.owner_id left join streams s on s.stream_id = u.default_sending_stream_id
			left join streams r on r.stream_id = u.default_register_stream_id where u.org_id = $1 and not u.system order by u.email`,
		"streams": "select row(name, invite_only, history_public, post_policy, retention_days, is_default, deactivated, created_at)::text from streams where org_id = $1 order by name",
		"subscriptions": `select row(name, email, subscriptions.active, color, muted, pin_to_top, desktop_notifications, email_notifications, push_notifications,
			audible_notifications, wildcard_mentions_notify)::text
			from subscriptions join streams using (org_id, stream_id) join users using (org_id, user_id) where org_id = $1 and not system order by 1`,
		"muted topics":       "select row(topic, muted_at)::text from muted_topics where org_id = $1",
		"messages":           "select row(topic, client, sent_at, edited_at)::text from messages where org_id = $1 order by message_id",
		"personal flags":     `select row(email, topic, f.flags)::text from message_flags f join users using (org_id, user_id) join messages using (org_id, message_id) where org_id = $1 order by 1`,
		"files":              "select concat_ws(' ', name, size, created_at) from attachments where org_id = $1",
		"reactions":          "select concat_ws(' ', emoji_name, reaction_type, email) from reactions join users using (org_id, user_id) where org_id = $1 order by 1",
		"order of reactions": "select concat_ws(' ', emoji_name, email) from reactions join users using (org_id, user_id) where org_id = $1 order by message_id, reacted_at",
		"groups of streams": `select concat_ws(' ', g.name, g.description, s.name) from default_stream_groups g left join default_stream_group_streams using (org_id, group_id)
			left join streams s using (org_id, stream_id) where org_id = $1 order by 1`,
		"scheduled messages": "select concat(topic, reminder, client, deliver_at, due_at, widget) from scheduled_messages where org_id = $1 order by scheduled_id",
	} {
		before, after := storetest.Values[string](db, sql, w.Org.ID), storetest.Values[string](db, sql, made)
		t.Log(what, len(before))
		if what == "rendered" || what == "flags" {
			continue
		}
		if diff := gocmp.Diff(before, after); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}
