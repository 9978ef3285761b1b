package moving_test

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
)

// An archive for administrators contains nothing that only some accounts may read, and no private data of people and
// bots.
func TestPublicOnly(t *testing.T) {
	t.Parallel()
	w := full(t)
	dan := w.Person("Dan", actor.Member)
	dan.Upload("draft.txt", "in no message")
	hidden := dan.Upload("hidden.txt", "for few")
	dan.Do("POST", "/messages", params{"type": "private", "to": []id.User{dan.ID}, "content": "to me [f](" + hidden + ")"}).OK()
	db := storetest.Connect(t, w.DatabaseURL)
	message := func(content string) int64 {
		return storetest.Values[int64](db, "select message_id from messages where content = $1", content)[0]
	}
	psst, toYou, open := message("psst"), message("to you"), message("steam is up ☃ \U0001f600")
	ann := storetest.Values[int64](db, "select user_id from users where full_name = 'Ann'")[0]
	for _, number := range []int64{psst, toYou, open} {
		db.Exec("insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name) values ($1, $2, $3, 'unicode_emoji', '1f6a2', 'ship')", w.Org.ID, number, ann)
		db.Exec("insert into submessages (org_id, message_id, sender_id, msg_type, content) values ($1, $2, $3, 'widget', '{}')", w.Org.ID, number, ann)
	}
	all := read(t, export(t, w, w.Org.ID, transfer.Options{PublicOnly: true}))
	of := func(table, member string) (values []any) {
		for _, row := range all[table] {
			values = append(values, row[member])
		}
		return values
	}
	for what, test := range map[string]struct{ got, want []any }{
		"streams":         {of(archive.Streams, "name"), []any{"hall", "boiler"}},
		"reactions":       {of(archive.Reactions, "emoji_name"), []any{"smile", "plant", "ship"}},
		"submessages":     {of(archive.Submessages, "message"), []any{float64(open)}},
		"names of groups": {of(archive.Groups, "external_id"), []any{nil}},
		"uploaded files":  {of(archive.Attachments, "file_name"), []any{"plan.pdf"}},
	} {
		if diff := gocmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	for _, scim := range of(archive.Users, "scim") {
		if scim != nil {
			t.Errorf("a person's name at a provider: %v", scim)
		}
	}
	for _, table := range []string{
		archive.Huddles, archive.AlertWords, archive.Statuses, archive.Services, archive.BotConfigs, archive.BotStorage, archive.Scheduled,
	} {
		if len(all[table]) > 0 {
			t.Errorf("%s: %v", table, all[table])
		}
	}
	for _, content := range of(archive.Messages, "content") {
		if text := fmt.Sprint(content); text == "psst" || strings.HasPrefix(text, "to ") {
			t.Errorf("a message: %v", content)
		}
	}
}
