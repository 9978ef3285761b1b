package moving_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// readers returns accounts of an imported organization, by their addresses, with API keys.
func readers(t *testing.T, w *servicetest.World, subdomain string, emails ...string) []servicetest.Account {
	t.Helper()
	db := storetest.Connect(t, w.DatabaseURL)
	o, err := w.Orgs.ByHost(t.Context(), subdomain+"."+servicetest.Host)
	if err != nil {
		t.Fatal(err)
	}
	all := []servicetest.Account(nil)
	for _, email := range emails {
		key := strings.Repeat(email[:1], 32)
		db.Exec("update users set api_key_hash = sha256(convert_to($3, 'UTF8')) where org_id = $1 and email = $2", o.ID, email, key)
		number := storetest.Values[int64](db, "select user_id from users where org_id = $1 and email = $2", o.ID, email)
		all = append(all, w.Existing(o, id.User(number[0]), key))
	}
	return all
}

// seen are messages in the form for an account.
type seen struct {
	Messages []struct {
		Sender    string `json:"sender_full_name"`
		Subject   string `json:"subject"`
		Content   string `json:"content"`
		Edited    *int64 `json:"last_edit_timestamp"`
		Sent      int64  `json:"timestamp"`
		Stream    any    `json:"display_recipient"`
		Flags     []string
		Reactions []struct {
			Name string `json:"emoji_name"`
			Code string `json:"emoji_code"`
		} `json:"reactions"`
	} `json:"messages"`
}

// readAll returns "sender: content" of messages, with the topics of those in streams.
func readAll(a servicetest.Account, narrow any) (lines []string, all seen) {
	a.Do(http.MethodGet, "/messages", params{"anchor": "oldest", "num_before": 0, "num_after": 100, "narrow": narrow, "apply_markdown": false}).OK().Decode(&all)
	for _, m := range all.Messages {
		line := m.Sender + ": " + m.Content
		if m.Subject != "" {
			line = "(" + m.Subject + ") " + line
		}
		lines = append(lines, line)
	}
	return lines, all
}

func roleOf(owner, admin, guest bool) string {
	switch {
	case owner:
		return "owner"
	case admin:
		return "administrator"
	case guest:
		return "guest"
	}
	return "member"
}

type terms = []map[string]any

func in(operator string, operand any) terms {
	return terms{{"operator": operator, "operand": operand}}
}

// All messages of Slack's exports can be read after the import.
func TestSlack(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	out, log, err := run(t, w, "import", "testdata/slack", "--subdomain", "works", "--name", "The Works", "--work", t.TempDir())
	if err != nil || !strings.Contains(out, "works."+servicetest.Host+" is complete") {
		t.Fatalf("%s%s, %v", out, log, err)
	}
	for _, want := range []string{
		"20 messages", "notices, and records of changes: channel_join", "reactions with unknown emoji, such as [\"partyparrot\"]", "other files, such as [\"integration_logs.json\"]",
		"folders of no channel, such as [\"gone-channel\"]", "uploaded files that weren't downloaded, such as [\"slack/F2/pic.png\"]", "uploaded files that Slack has no more", "messages without content",
		"pictures of people that weren't downloaded", "1 uploaded files",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(log, "xoxe") {
		t.Error("a key is in the report")
	}
	people := readers(t, w, "works", "ann@works.example", "bob@works.example", "cid@elsewhere.example")
	ann, bob, cid := people[0], people[1], people[2]

	numbers := map[string]string{}
	members := struct {
		Members []struct {
			ID     id.User `json:"user_id"`
			Name   string  `json:"full_name"`
			Owner  bool    `json:"is_owner"`
			Admin  bool    `json:"is_admin"`
			Guest  bool    `json:"is_guest"`
			Active bool    `json:"is_active"`
			Bot    bool    `json:"is_bot"`
		} `json:"members"`
	}{}
	ann.Do(http.MethodGet, "/users", nil).OK().Decode(&members)
	roles := map[string][]any{}
	for _, m := range members.Members {
		numbers[m.Name] = m.ID.String()
		roles[m.Name] = []any{roleOf(m.Owner, m.Admin, m.Guest), m.Active, m.Bot}
	}
	delete(roles, "Notification Bot")
	if diff := gocmp.Diff(map[string][]any{
		"Ann Adams": {"owner", true, false}, "Bob Brown": {"administrator", true, false}, "Cid": {"guest", true, false}, "Dora": {"member", false, false}, "Deploy Bot": {"member", false, true},
		"github": {"member", false, true}, "Stranger": {"member", false, false},
	}, roles); diff != "" {
		t.Error(diff)
	}

	streams := struct {
		Streams []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Private     bool   `json:"invite_only"`
			Policy      int    `json:"stream_post_policy"`
			Default     bool   `json:"is_default"`
		} `json:"streams"`
	}{}
	ann.Do(http.MethodGet, "/streams", params{"include_default": true}).OK().Decode(&streams)
	places := map[string][]any{}
	for _, s := range streams.Streams {
		places[s.Name] = []any{s.Description, s.Private, s.Policy, s.Default}
	}
	if diff := gocmp.Diff(map[string][]any{
		"general": {"For everybody & everything – Lunch at noon", false, 1, true}, "random": {"", false, 1, false}, "old-project": {"Archived. The old one", false, 2, false},
		"secret": {"", true, 1, false},
	}, places); diff != "" {
		t.Error(diff)
	}

	lines, all := readAll(bob, in("stream", "general"))
	file := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select path || '/' || slug from attachments")[0]
	main, thread := "(imported from Slack) ", "(Deploy of api failed:) "
	want := []string{
		main + "Ann Adams: Hello **all**, *read* ~~that~~ `<code>` & [this](https://a.example/x?a=1&b=2) :big_smile: 🇺🇸",
		main + "Bob Brown: @**Ann Adams|" + numbers["Ann Adams"] + "** and @Dora see #**random**, @**all**: yesterday @zoe",
		thread + "Bob Brown: Deploy of `api` failed:\n```\nexit 1\n  <at> line 3\n```\n> who broke it?\n\nnobody",
		main + "Ann Adams: In between",
		thread + "Ann Adams: It was me",
		main + "Cid: /me waves",
		main + "github: New **push**\n~~~ quote\n[main](https://git.example/main)\none\ntwo\n**By** @**Bob Brown|" + numbers["Bob Brown"] + "**\n~~~",
		main + "Deploy Bot: **Deployed**\nto **production**",
		thread + "Bob Brown: Fixed now",
		"(Deploy of api failed: (2)) Bob Brown: Deploy of `api` failed:",
		"(Thread of 2017-07-14) Ann Adams: lost its beginning",
		main + "Ann Adams: Two files\n[plan (1).txt](/user_uploads/" + file + ")\n[pic.png](https://files.slack.example/F2/download/pic.png)\n[Sheet](https://docs.example/sheet)",
		main + "Stranger: From another workspace",
	}
	if diff := gocmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	first, second := all.Messages[0], all.Messages[1]
	if len(first.Reactions) != 2 || first.Reactions[0].Code != "1f44d" || first.Sent != 1600000001 {
		t.Errorf("%+v", first)
	}
	if second.Edited == nil || *second.Edited != 1600000090 || first.Edited != nil {
		t.Errorf("%+v", second)
	}
	for who, want := range map[*servicetest.Account][]string{
		&ann: {main + "Bob Brown: @**Ann Adams|" + numbers["Ann Adams"] + "** and @Dora see #**random**, @**all**: yesterday @zoe"},
	} {
		if lines, _ := readAll(*who, in("is", "mentioned")); gocmp.Diff(want, lines) != "" {
			t.Errorf("mentioned: %q", lines)
		}
	}

	// All messages are received and read by the members, in the order of their times.
	if lines, _ := readAll(cid, terms{}); len(lines) != 14 || lines[0] != want[0] {
		t.Errorf("%d messages: %q", len(lines), lines)
	}
	lines, all = readAll(bob, terms{})
	if len(lines) != 19 || lines[0] != "(imported from Slack) Bob Brown: Long ago" || lines[2] != "(imported from Slack) Bob Brown: Between the others" {
		t.Errorf("%d messages: %q", len(lines), lines)
	}
	for _, m := range all.Messages {
		if !strings.Contains(strings.Join(m.Flags, " "), "read") {
			t.Errorf("%s is unread", m.Content)
		}
	}
	if lines, _ := readAll(ann, in("pm-with", bob.RealEmail)); gocmp.Diff([]string{"Ann Adams: to you", "Bob Brown: to me"}, lines) != "" {
		t.Errorf("%q", lines)
	}
	if lines, _ := readAll(ann, in("pm-with", ann.RealEmail)); gocmp.Diff([]string{"Ann Adams: note to self"}, lines) != "" {
		t.Errorf("%q", lines)
	}
	if lines, _ := readAll(ann, in("pm-with", bob.RealEmail+","+cid.RealEmail)); gocmp.Diff([]string{"Cid: to all three"}, lines) != "" {
		t.Errorf("%q", lines)
	}
	if lines, _ := readAll(ann, in("stream", "secret")); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	if lines, _ := readAll(ann, in("stream", "old-project")); len(lines) != 1 { // everyone can read it
		t.Errorf("%q", lines)
	}
}

// An interrupted import from Slack continues, although the export is converted again.
func TestSlackContinues(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
	db.Exec(`create trigger refuse before insert on reactions for each row execute function refuse()`)
	work := t.TempDir()
	args := []string{"testdata/slack", "--subdomain", "twice", "--work", work}
	if _, log, err := run(t, w, "import", args...); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Fatalf("%s, %v", log, err)
	}
	before := storetest.Values[int64](db, "select message_id from messages m join organizations o using (org_id) where o.subdomain = 'twice' order by 1")
	db.Exec("drop trigger refuse on reactions")
	if _, log, err := run(t, w, "import", args...); err != nil {
		t.Fatalf("%s, %v", log, err)
	}
	after := storetest.Values[int64](db, "select message_id from messages m join organizations o using (org_id) where o.subdomain = 'twice' order by 1")
	if diff := gocmp.Diff(before, after); diff != "" || len(after) != 20 {
		t.Errorf("%d messages: %s", len(after), diff)
	}
	if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}
