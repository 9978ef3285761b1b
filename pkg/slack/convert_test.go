package slack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/slack"
	"chatserver.dev/pkg/user"
)

// files returns an export with the texts by file name.
func files(texts map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range texts {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// convert converts an export, and returns the folder of the archive, and the numbers of omitted items by reason.
func convert(t *testing.T, from fs.FS) (dir string, left map[string]int, err error) {
	t.Helper()
	export, err := slack.New(from)
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(t.TempDir(), "archive")
	to, err := archive.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	left = map[string]int{}
	err = slack.Convert(t.Context(), export, to, slack.Options{
		Name: "Works", Leave: func(why, _ string) { left[why]++ }, Progress: func(int, int) {},
	})
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, left, err
}

// table returns the rows of a table in a file of an archive.
func table[T any](t *testing.T, dir, file, name string) []T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	all, rows := map[string]json.RawMessage{}, []T(nil)
	if err := errors.Join(json.Unmarshal(text, &all), json.Unmarshal(all[name], &rows)); err != nil {
		t.Fatal(err)
	}
	return rows
}

const (
	twoUsers = `[{"id": "U1", "name": "ann", "profile": {"email": "ann@a.example"}}, {"id": "U2", "name": "bob", "profile": {"email": "bob@a.example"}}]`
	aChannel = `[{"id": "C1", "name": "hall", "created": 1600000000, "members": ["U1", "U2"]}]`
)

func message(number int, more string) string {
	return fmt.Sprintf(`{"type": "message", "user": "U1", "text": "m%d", "ts": "%d.000100"%s}`, number, 1600000000+number, more)
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, all := range []map[string]string{
		{},
		{"users.json": twoUsers},
		{"channels.json": aChannel},
		{"a/users.json": twoUsers, "b/channels.json": aChannel},
		{"a/users.json": twoUsers, "a/dms.json": "[]", "b/users.json": twoUsers, "b/dms.json": "[]"},
		{"a/b/users.json": twoUsers, "a/b/dms.json": "[]"},
		{"users.json/x": "", "channels.json": aChannel},
	} {
		if _, err := slack.New(files(all)); !errors.Is(err, slack.ErrNone) {
			t.Errorf("%v: %v", all, err)
		}
	}
	for _, all := range []map[string]string{
		{"users.json": twoUsers, "channels.json": aChannel}, {"org_users.json": twoUsers, "dms.json": "[]"}, {"Works/users.json": twoUsers, "Works/groups.json": "[]", "__MACOSX/x": ""},
	} {
		if _, err := slack.New(files(all)); err != nil {
			t.Errorf("%v: %v", all, err)
		}
	}
}

// Conversion is deterministic, byte by byte, with a thousand messages in each file.
func TestSame(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"users.json": twoUsers, "channels.json": aChannel}
	for day := range 3 {
		messages := []string(nil)
		for i := range 834 {
			messages = append(messages, message(86400*day+834-i, fmt.Sprintf(`, "reactions": [{"name": "tada", "users": ["U2", "U%d"]}]`, i%3)))
		}
		texts[fmt.Sprintf("hall/2020-09-%d.json", 13+day)] = "[" + strings.Join(messages, ",") + "]"
	}
	all := [2]map[string]string{{}, {}}
	for i := range all {
		dir, _, err := convert(t, files(texts))
		if err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			all[i][strings.TrimPrefix(path, dir)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for file, want := range map[string]int{"messages-000001.json": 1000, "messages-000002.json": 1000, "messages-000003.json": 502} {
			rows := table[archive.Message](t, dir, file, archive.Messages)
			if len(rows) != want {
				t.Errorf("%s has %d messages", file, len(rows))
			}
			for i := range rows[1:] {
				if !rows[i].Sent.Before(rows[i+1].Sent.Time) || rows[i].ID+1 != rows[i+1].ID {
					t.Fatalf("%+v is before %+v", rows[i], rows[i+1])
				}
			}
		}
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" || len(all[0]) != 6 {
		t.Errorf("%d files; %s", len(all[0]), diff)
	}
}

// An export that can't be parsed ends the conversion with an error that contains the position.
func TestBroken(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string]map[string]string{
		"users.json: row 2: ":                         {"users.json": `[{"id": "U1"}, {"id": `},
		"channels.json: there is { instead of [":      {"channels.json": `{"id": "C1"}`},
		"hall/2020-09-13.json: row 2: unexpected EOF": {"hall/2020-09-13.json": "[" + message(1, "") + `, {"type": "mess`},
		"hall/2020-09-13.json: row 1: it is larger":   {"hall/2020-09-13.json": `[{"text": "` + strings.Repeat("x", 33<<20) + `"}]`},
		"hall/2020-09-13.json: row 1: ":               {"hall/2020-09-13.json": "[" + strings.Repeat("[", 20_000) + "]"},
		"groups.json: EOF":                            {"groups.json": ""},
	} {
		all := map[string]string{"users.json": twoUsers, "channels.json": aChannel}
		for name, text := range texts {
			all[name] = text
		}
		if _, _, err := convert(t, files(all)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200v, want %s", err, want)
		}
	}
}

// Whatever rows contain, the rest is converted, and nothing outside of the export is read or written.
func TestHostile(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	for name, text := range map[string]string{
		"outside/2020-09-13.json": "[" + message(1, "") + "]",
		"export/users.json": `[{"id": "U1", "name": "ann", "profile": {"email": "ann@a.example", "image_original": "file:///etc/passwd"}}, {"id": "U1"}, {"name": "nobody"}, 7, null, "x",
			{"id": "U2", "name": ["a"], "deleted": "perhaps", "profile": []}, {"id": "U3", "name": "@**all**|1", "tz": 5, "profile": {"email": "ANN@a.example"}}]`,
		"export/channels.json": `[{"id": "C1", "name": "../outside"}, {"id": "C2", "name": "link"}, {"id": "..", "name": "/etc"}, {"id": "C4", "name": "hall", "created": -9e99, "members": ["U1", "U404", 5], "topic": "x"},
			{"id": "C4", "name": "HALL"}, {"id": "", "name": ""}, {"id": "C6", "name": "hall"}]`,
		"export/dms.json":           `[{"id": "D1", "members": []}, {"id": "D2", "members": ["U1", "U3"]}, {"id": "D3", "members": ["U1", "U1"]}]`,
		"export/D1/2020-09-13.json": "[" + message(1, "") + "]",
		"export/D2/2020-09-13.json": `[{"bot_id": "B1", "text": "from a third", "ts": "1600000002.0"}]`,
		"export/D3/2020-09-13.json": "[" + message(3, "") + "]",
		"export/hall/2020-09-13.json": "[" + strings.Join([]string{
			message(5, `, "unknown": {"members": [1, 2]}`), message(5, ""), "null", "7", `{"type": "message"}`, `{"user": "U1", "text": "no time"}`, `{"user": "U1", "text": "when?", "ts": "-5"}`,
			`{"user": "U1", "text": "when?", "ts": "99999999999999999999"}`, `{"user": "U1", "text": 5, "ts": "1600000006.0"}`, `{"user": {"id": "U1"}, "text": "whose?", "ts": 1600000007}`,
			message(8, `, "files": [{"id": "../../../x", "name": "a"}, {"id": "F1", "name": "../../etc/passwd", "url_private": "file:///etc/passwd"}, {"id": "F2", "name": "..", "size": -5, "url_private": "https://a.example/?t=xoxe-key"}]`),
			message(9, `, "thread_ts": "x", "reactions": [{"name": "tada", "users": ["U404", 5, null]}, {"name": 5}], "edited": {"ts": "never"}, "attachments": {}, "blocks": [{"type": "section", "text": [1]}, 5]`),
			`{"type": "desktop_notification", "user": "U1", "text": "x", "ts": "1600000010.0"}`, `{"type": "message", "subtype": "message_deleted", "ts": "1600000011.0"}`,
			message(12, `, "subtype": "never_heard_of"`), `{"user": "U1", "text": "nul\u0000 \ud800 end", "ts": "1600000013.9999999999"}`,
		}, ",") + "]",
		"export/hall/2020-13-99.json": "[", "export/hall/x.json": "[", "export/hall/2020-09-14.txt": "[",
	} {
		name = filepath.Join(outer, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("../outside", filepath.Join(outer, "export/link")), os.Symlink("/etc/passwd", filepath.Join(outer, "export/hall/2020-09-15.json"))); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(outer, "export"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, _, err := convert(t, root.FS()); err == nil {
		t.Error("a link to a file outside of the export was followed or ignored")
	}
	if err := os.Remove(filepath.Join(outer, "export/link")); err != nil {
		t.Fatal(err)
	}
	dir, left, err := convert(t, root.FS())
	if err != nil {
		t.Fatal(err)
	}
	for why, n := range left {
		t.Logf("%d %s", n, why)
	}
	contents := []string(nil)
	for _, m := range table[archive.Message](t, dir, "messages-000001.json", archive.Messages) {
		contents = append(contents, m.Content)
	}
	want := []string{
		"m1", "from a third", "m3", "m5", "m8\na\n../../etc/passwd\n[..](/user_uploads/slack/F2/file)", "m9", "m12", "nul\x00 \ufffd end",
	}
	if diff := cmp.Diff(want, contents); diff != "" {
		t.Error(diff)
	}
	for _, u := range table[archive.User](t, dir, archive.RealmFile, archive.Users) {
		if name, err := user.CheckName(u.FullName); err != nil || name != u.FullName {
			t.Errorf("%q: %v", u.FullName, err)
		}
		if u.Active != (u.FullName == "ann") || u.AvatarSource != "G" {
			t.Errorf("%+v", u)
		}
	}
	names := map[string]bool{}
	for _, s := range table[archive.Stream](t, dir, archive.RealmFile, archive.Streams) {
		if key := strings.ToLower(s.Name); names[key] || key == "" {
			t.Errorf("a second %q", s.Name)
		} else {
			names[key] = true
		}
	}
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "passwd" {
			t.Error(path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// Files that a tool has added to the export are in the archive, in whichever folder they are.
func TestAttachments(t *testing.T) {
	t.Parallel()
	dir, _, err := convert(t, files(map[string]string{
		"users.json": twoUsers, "channels.json": aChannel, "__uploads/F1/a b.txt": "one", "hall/attachments/F2-b.txt": "two",
		"hall/2020-09-13.json": "[" + message(1, `, "files": [{"id": "F1", "name": "a b.txt", "user": "U2"}, {"id": "F2", "name": "b.txt", "created": 5}]`) + "," +
			message(2, `, "subtype": "file_share", "file": {"id": "F1", "name": "a b.txt"}`) + "]",
	}))
	if err != nil {
		t.Fatal(err)
	}
	rows := table[archive.Attachment](t, dir, archive.AttachmentFile, archive.Attachments)
	if len(rows) != 2 || rows[0].Owner != 2 || rows[1].Owner != 1 || rows[1].Created.Unix() != 5 || rows[0].Created.Unix() != 1600000001 {
		t.Errorf("%+v", rows)
	}
	for i, want := range []string{"one", "two"} {
		if got, err := os.ReadFile(filepath.Join(dir, archive.UploadFolder, rows[i].Path)); string(got) != want {
			t.Errorf("%s: %q, %v", rows[i].Path, got, err)
		}
	}
}

// Messages keep their exact times. Those of a third account in a conversation of two are in one of three. A guest of a
// single channel is a guest, and an archived private channel is muted.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir, _, err := convert(t, files(map[string]string{
		"users.json":         `[{"id": "U1", "name": "ann", "profile": {"email": "ann@a.example"}}, {"id": "U2", "name": "bob", "is_ultra_restricted": true, "profile": {"email": "bob@a.example"}}]`,
		"dms.json":           `[{"id": "D1", "members": ["U1", "U2"]}]`,
		"groups.json":        `[{"id": "G1", "name": "attic", "is_archived": true, "members": ["U1"]}, {"id": "G2", "name": "cellar", "members": ["U1"]}]`,
		"D1/2020-09-13.json": `[{"bot_id": "B1", "text": "from a third", "ts": "1600000002.000300"}]`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	roles := []int(nil)
	for _, u := range table[archive.User](t, dir, archive.RealmFile, archive.Users) {
		roles = append(roles, u.Role)
	}
	if diff := cmp.Diff([]int{int(actor.Member), int(actor.Guest), int(actor.Member)}, roles); diff != "" {
		t.Errorf("the roles of ann, bob and the bot: %s", diff)
	}
	sent := table[archive.Message](t, dir, "messages-000001.json", archive.Messages)[0]
	if got := sent.Sent.UnixMicro(); got != 1600000002000300 {
		t.Errorf("a message was sent at %d", got)
	}
	kinds := map[int64]int{}
	for _, r := range table[archive.Recipient](t, dir, archive.RealmFile, archive.Recipients) {
		kinds[r.ID] = r.Type
	}
	members, muted := []int64(nil), []bool(nil)
	for _, s := range table[archive.Subscription](t, dir, archive.RealmFile, archive.Subscriptions) {
		switch {
		case s.Recipient == sent.Recipient:
			members = append(members, s.User)
		case kinds[s.Recipient] == archive.ToStream:
			muted = append(muted, s.Muted)
		}
	}
	if diff := cmp.Diff([]int64{1, 2}, members); diff != "" || kinds[sent.Recipient] != archive.ToHuddle {
		t.Errorf("the bot's message is in a conversation of kind %d: %s", kinds[sent.Recipient], diff)
	}
	if diff := cmp.Diff([]bool{true, false}, muted); diff != "" {
		t.Errorf("muted channels: %s", diff)
	}
}
