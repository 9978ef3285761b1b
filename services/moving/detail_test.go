package moving_test

import (
	"encoding/json"
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/servicetest"
)

// put writes files of an archive by their paths, and creates their folders.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// hall returns the tables of an organization with two accounts and the streams hall and secret. Recipient 11 is hall.
func hall() map[string]rows {
	return map[string]rows{
		"zerver_userprofile":   {person(7, "a@x.example", "Ann"), person(8, "b@x.example", "Bob")},
		"zerver_stream":        {{"id": 5, "name": "hall"}, {"id": 6, "name": "secret", "invite_only": true}},
		"zerver_defaultstream": {{"id": 1, "stream": 5}, {"id": 2, "stream": 6}},
		"zerver_recipient":     {{"id": 11, "type": 2, "type_id": 5}},
	}
}

// edited returns a message with a history.
func edited(t *testing.T, number int, edits ...map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(edits)
	if err != nil {
		t.Fatal(err)
	}
	m := said(number, 7, 11, "now")
	m["edit_history"] = string(text)
	return m
}

// Earlier versions of messages are valid here, too: their accounts and streams are this server's, and their texts are as
// if they were imported.
func TestEdits(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	dir := write(t, hall(), map[string]rows{"zerver_message": {edited(
		t, 1,
		map[string]any{"user_id": 8, "timestamp": 5, "prev_content": "@**Ann|7** before\x00", "prev_subject": strings.Repeat("é", 70), "prev_stream": 6},
		map[string]any{"user_id": 404, "timestamp": 4, "prev_content": "by nobody"},
		map[string]any{"user_id": 7, "timestamp": 3, "prev_subject": "elsewhere", "prev_stream": 404},
	)}})
	made, _, err := load(t, w, dir, "edits")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	find := func(sql string) int64 { return storetest.Values[int64](db, sql, made)[0] }
	ann, bob := id.User(find("select user_id from users where org_id = $1 and full_name = 'Ann'")), id.User(find("select user_id from users where org_id = $1 and full_name = 'Bob'"))
	secret := id.Stream(find("select stream_id from streams where org_id = $1 and name = 'secret'"))
	got, err := message.DecodeEdits([]byte(storetest.Values[string](db, "select edits::text from messages where org_id = $1", made)[0]))
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].PrevRenderedContent, got[i].PrevRenderedContentVersion = nil, nil // see TestReference
	}
	want := []message.Edit{
		{UserID: bob, Timestamp: 5, PrevSubject: new(strings.Repeat("é", 59) + "…"), PrevContent: new("@**Ann|" + ann.String() + "** before"), PrevStream: &secret},
		{UserID: ann, Timestamp: 3, PrevSubject: new("elsewhere")},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Texts are cut to their limits, a mention of an unknown account stays as it is, and messages are in the order of their
// ids, whatever files they are in.
func TestTexts(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	long := said(1, 7, 11, strings.Repeat("x", 1_200_000))
	long["subject"] = strings.Repeat("é", 61)
	dir := write(t, hall(), map[string]rows{"zerver_message": {long, said(4, 7, 11, "fourth")}}, map[string]rows{"zerver_message": {said(3, 8, 11, "third"), said(2, 7, 11, "@**Gone|404**")}})
	made, _, err := load(t, w, dir, "texts")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	got := storetest.Values[string](db, "select concat_ws(' ', topic, octet_length(content), right(content, 14)) from messages where org_id = $1 order by message_id", made)
	want := []string{strings.Repeat("é", 59) + "… 1048579 xxxxxxxxxxxxx…", "t 13 @**Gone|404**", "t 5 third", "t 6 fourth"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := storetest.Values[string](db, "select name from streams where org_id = $1 and is_default", made); gocmp.Diff([]string{"hall"}, got) != "" {
		t.Errorf("new accounts are subscribed to %q", got)
	}
}

// What belongs to nobody belongs to the first owner who is active, the first of several emoji with a name keeps it, and
// the original of a picture is used.
func TestOwnersAndPictures(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	all := hall()
	left, owner := person(9, "c@x.example", "Cid"), person(10, "d@x.example", "Dan")
	left["role"], left["is_active"], owner["role"] = 100, false, 100
	all["zerver_userprofile"] = append(rows{left, owner}, all["zerver_userprofile"]...)
	all["zerver_realmemoji"] = rows{{"id": 1, "name": "crane", "file_name": "1.png"}, {"id": 2, "name": "crane", "file_name": "1.png"}}
	all["zerver_submessage"] = rows{
		{"id": 1, "message": 1, "sender": 404, "msg_type": "widget", "content": "{}"}, {"id": 2, "message": 1, "sender": 8, "msg_type": "widget", "content": "[]"},
	}
	picture := servicetest.PNG(t, 64, 64, color.White)
	dir := write(t, all, map[string]rows{"zerver_message": {said(1, 7, 11, "/poll")}})
	put(t, dir, map[string]string{
		"emoji/1.png": picture, "emoji/records.json": `[{"path": "1.png"}]`, "avatars/7.original": picture, "avatars/7": "not a picture",
		"avatars/records.json": `[{"user_profile_id": 7, "path": "7.original"}, {"user_profile_id": 7, "path": "7"}]`,
	})
	made, report, err := load(t, w, dir, "owners")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	if got := storetest.Values[string](db, "select concat_ws(' ', name, full_name) from emoji e join users u on u.user_id = author_id where e.org_id = $1", made); gocmp.Diff([]string{"crane Dan"}, got) != "" {
		t.Errorf("emoji: %q", got)
	}
	if got := storetest.Values[string](db, "select concat(full_name, content) from submessages s left join users u on u.user_id = sender_id where s.org_id = $1", made); gocmp.Diff([]string{"Bob[]"}, got) != "" {
		t.Errorf("submessages: %q", got)
	}
	if report.Counts()["pictures of people"] != 1 || report.Left()["emoji with a name that another emoji has"] != 1 {
		t.Errorf("the report has %v, and %v", report.Counts(), report.Left())
	}
}

// An import that continues knows the files that it stored before, and keeps those that only scheduled messages have
// until these are sent. It refuses an archive whose messages have changed.
func TestContinueWithFiles(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	all := hall()
	all["zerver_scheduledmessage"] = rows{{"id": 1, "sender": 7, "recipient": 11, "subject": "t", "content": "[later](/user_uploads/1/b.txt)", "scheduled_timestamp": 4e9}}
	dir := write(t, all, map[string]rows{"zerver_message": {said(1, 7, 11, "[now](/user_uploads/1/a.txt)")}})
	put(t, dir, map[string]string{
		"uploads/1/a.txt": "one", "uploads/1/b.txt": "two",
		"attachment.json": `{"zerver_attachment": [{"id": 1, "owner": 7, "path_id": "1/a.txt", "file_name": "a.txt"}, {"id": 2, "owner": 7, "path_id": "1/b.txt", "file_name": "b.txt"}]}`,
	})
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec(`create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end'`)
	db.Exec("create trigger refuse before insert on messages for each row execute function refuse()")
	if _, _, err := load(t, w, dir, "files"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Fatal(err)
	}
	db.Exec("drop trigger refuse on messages")
	name := filepath.Join(dir, "messages-000001.json")
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"messages-000001.json": strings.Replace(string(before), "now", "never", 1)})
	if _, _, err := load(t, w, dir, "files"); !errors.Is(err, transfer.ErrBegun) {
		t.Errorf("the archive has another message: %v", err)
	}
	put(t, dir, map[string]string{"messages-000001.json": string(before)})
	made, _, err := load(t, w, dir, "files")
	if err != nil {
		t.Fatal(err)
	}
	paths := storetest.Values[string](db, "select path || '/' || slug from attachments where org_id = $1 order by name", made)
	if got := storetest.Values[string](db, "select content from messages where org_id = $1 union all select content from scheduled_messages where org_id = $1", made); len(paths) != 2 ||
		gocmp.Diff([]string{"[now](/user_uploads/" + paths[0] + ")", "[later](/user_uploads/" + paths[1] + ")"}, got) != "" {
		t.Errorf("%q are linked as %q", paths, got)
	}
	if got := storetest.Values[string](db, "select concat_ws(' ', name, kept_until is not null) from attachments where org_id = $1 order by name", made); gocmp.Diff([]string{"a.txt f", "b.txt t"}, got) != "" {
		t.Errorf("files: %q", got)
	}
}

// Who can't open a file, and sends a link to it, doesn't let others open it, before a move or after it.
func TestLinksToFilesOfOthers(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Owner), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	ann.SendStream("hall", "plans", "[his]("+bob.Upload("his.pdf", "%PDF-1.7 his")+") [mine]("+ann.Upload("mine.pdf", "%PDF-1.7 mine")+")")
	made, _, err := load(t, w, export(t, w, w.Org.ID, transfer.Options{}), "again")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	for when, of := range map[string]id.Org{"before": w.Org.ID, "after": made} {
		const inMessages = "select name from attachments join attachment_messages using (org_id, attachment_id) where org_id = $1"
		if diff := gocmp.Diff([]string{"mine.pdf"}, storetest.Values[string](db, inMessages, of)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
}
