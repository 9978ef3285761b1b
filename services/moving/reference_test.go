package moving_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"image/color"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// packedReference packs testdata/reference as the reference implementation packs its exports: in a folder, with
// pictures.
func packedReference(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "zulip-export-x1.tar.gz")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	zipped := gzip.NewWriter(file)
	to := tar.NewWriter(zipped)
	put := func(name string, content []byte) error {
		err := to.WriteHeader(&tar.Header{Name: "zulip-export-x1/" + name, Size: int64(len(content)), Mode: 0o644})
		_, failed := to.Write(content)
		return errors.Join(err, failed)
	}
	from := os.DirFS("testdata/reference")
	err = fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		return errors.Join(err, put(name, content))
	})
	picture := []byte(servicetest.PNG(t, 64, 64, color.White))
	for _, name := range []string{"avatars/2/5d2c", "avatars/2/5d2c.original", "emoji/2/emoji/images/3.png", "realm_icons/2/icon.original", "realm_icons/2/icon.png"} {
		err = errors.Join(err, put(name, picture))
	}
	for _, name := range []string{"analytics.json", "stats.txt", "migration_status.json"} {
		err = errors.Join(err, put(name, []byte("{}")))
	}
	if err := errors.Join(err, to.Close(), zipped.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// Everything in the reference implementation's exports that this server supports is imported. testdata/reference has
// rows with all fields, and lists of files in the forms for S3 and for folders.
func TestReference(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	out, log, err := run(t, w, "import", packedReference(t), "--subdomain", "harbour", "--work", t.TempDir())
	if err != nil || !strings.Contains(out, "harbour."+servicetest.Host+" is complete") {
		t.Fatalf("%s%s, %v", out, log, err)
	}
	if strings.Contains(log, "left out") {
		t.Errorf("the report: %s", log)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	people := readers(t, w, "harbour", "ann@harbour.example", "bob@harbour.example")
	ann, bob := people[0], people[1]
	for sql, want := range map[string][]string{
		"subdomain || ' ' || name || ' ' || rendered_description || ' ' || (icon_path <> '') from organizations where org_id = $1": {"harbour Harbour <p>Ships and <em>cranes</em></p> true"},
		"concat_ws(' ', full_name, role, active, bot_type, avatar_path <> '') from users where org_id = $1 and not system order by email": {
			"Ann Acker 100 t t", "Bob Berg 400 t f", "Crane 400 t 3 f", "Gone Gunn 400 f f",
		},
		"concat_ws(' ', name, rendered_description, invite_only, history_public, post_policy, retention_days, is_default) from streams where org_id = $1 order by name": {
			"customs  t f 2 30 f", "quay <p>What comes <strong>in</strong></p> f t 1 t",
		},
		"concat_ws(' ', domain, allow_subdomains) from email_domains where org_id = $1":                                   {"harbour.example f"},
		"concat_ws(' ', pattern, url_format) from linkifiers where org_id = $1":                                           {"ship-(?P<id>[0-9]+) https://ships.example/%(id)s"},
		"concat_ws(' ', name, type) from profile_fields where org_id = $1 order by name":                                  {"Berth 3", "Pilot 6"},
		"concat_ws(' ', name, active) from emoji where org_id = $1":                                                       {"crane t"},
		"concat_ws(' ', name, description, cardinality(members)) from user_groups where org_id = $1":                      {"crew All of us 2"},
		"concat_ws(' ', topic, extract(epoch from muted_at)::bigint) from muted_topics where org_id = $1":                 {"weather 1593600100"},
		"word from alert_words where org_id = $1":                                                                         {"fog"},
		"concat_ws(' ', url, interface, token <> 'leaked') from bot_services where org_id = $1":                           {"https://crane.example/hook 1 t"},
		"concat_ws(' ', key, value) from bot_storage where org_id = $1":                                                   {"load 3 t"},
		"concat_ws(' ', emoji_name, reaction_type) from reactions where org_id = $1 order by 1":                           {"crane realm_emoji", "ship unicode_emoji"},
		"concat_ws(' ', name, size) from attachments where org_id = $1":                                                   {"manifest.txt 17"},
		"concat_ws(' ', color, pin_to_top, muted, desktop_notifications) from subscriptions where org_id = $1 order by 1": {"#76ce90 t f t", "#a6c7e5 f f", "#a6c7e5 f f", "#fae589 f t"},
		"client || ' ' || count(*) from messages where org_id = $1 group by client order by client":                       {"Internal 1", "ZulipMobile 1", "website 6"},
		"to_char(min(sent_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') from messages where org_id = $1":            {"2020-01-01 12:00:20.250"},
	} {
		if diff := gocmp.Diff(want, storetest.Values[string](db, "select "+sql, ann.Org.ID)); diff != "" {
			t.Errorf("%s: %s", sql, diff)
		}
	}

	lines, all := readAll(ann, terms{})
	if diff := gocmp.Diff([]string{
		"Ann Acker: Hello, bot.",
		"(arrivals) Ann Acker: ship-7 with @**Bob Berg|" + bob.ID.String() + "** [manifest](/user_uploads/…) :crane:",
		"(arrivals) Bob Berg: Seen.", "(welcome) Notification Bot: A notice.", "Crane: To both of you.", "(seals) Ann Acker: Before Bob came.", "(seals) Ann Acker: While Bob was away.",
	}, withoutPaths(lines)); diff != "" {
		t.Error(diff)
	}
	if m := all.Messages[1]; m.Edited == nil || *m.Edited != 1593600060 || m.Sent != 1593600001 || strings.Join(m.Flags, " ") != "read" {
		t.Errorf("%+v", m)
	}
	history := struct {
		Snapshots []struct {
			Topic   string `json:"topic"`
			Content string `json:"content"`
			HTML    string `json:"rendered_content"`
		} `json:"message_history"`
	}{}
	ann.Do(http.MethodGet, "/messages/"+storetest.Values[string](db, "select message_id::text from messages where org_id = $1 and edits is not null", ann.Org.ID)[0]+"/history", nil).OK().Decode(&history)
	if len(history.Snapshots) != 2 || history.Snapshots[0].Topic != "ships" || history.Snapshots[0].HTML != "<p>"+`<a href="https://ships.example/6">ship-6</a>`+"</p>" {
		t.Errorf("%+v", history)
	}

	// The reference implementation has no rows for messages in Bob's streams while he was inactive. He has received
	// them, but none from before he was subscribed.
	lines, all = readAll(bob, terms{})
	if diff := gocmp.Diff([]string{
		"Bob Berg: Are you there?", "(arrivals) Ann Acker: ship-7 with @**Bob Berg|" + bob.ID.String() + "** [manifest](/user_uploads/…) :crane:",
		"(arrivals) Bob Berg: Seen.", "(welcome) Notification Bot: A notice.", "Crane: To both of you.", "(seals) Ann Acker: While Bob was away.",
	}, withoutPaths(lines)); diff != "" {
		t.Error(diff)
	}
	flags := []string{}
	for _, m := range all.Messages {
		flags = append(flags, strings.Join(m.Flags, " "))
	}
	if diff := gocmp.Diff([]string{"read", "read starred mentioned", "read", "", "", ""}, flags); diff != "" {
		t.Error(diff)
	}
}

// withoutPaths returns messages without the random paths of files.
func withoutPaths(lines []string) []string {
	for i, line := range lines {
		if before, rest, ok := strings.Cut(line, "/user_uploads/"); ok {
			_, after, _ := strings.Cut(rest, ")")
			lines[i] = before + "/user_uploads/…)" + after
		}
	}
	return lines
}
