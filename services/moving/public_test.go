package moving_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
	hall := all[archive.Streams][0]["id"]
	for what, test := range map[string]struct{ got, want []any }{
		"streams":         {of(archive.Streams, "name"), []any{"hall", "boiler"}},
		"reactions":       {of(archive.Reactions, "emoji_name"), []any{"smile", "plant", "ship"}},
		"submessages":     {of(archive.Submessages, "message"), []any{float64(open)}},
		"groups":          {of(archive.StreamGroups, "streams"), []any{[]any{}, []any{hall}}},
		"names of groups": {of(archive.Groups, "external_id"), []any{nil}},
		"uploaded files":  {of(archive.Attachments, "file_name"), []any{"plan.pdf"}},
	} {
		if diff := gocmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	for _, row := range all[archive.Users] {
		for _, member := range []string{"scim", "color_scheme", "enter_sends", "enable_desktop_notifications"} {
			if value, ok := row[member]; ok {
				t.Errorf("%v of a person: %v", member, value)
			}
		}
	}
	for _, row := range all[archive.Subscriptions] {
		maps.DeleteFunc(row, func(member string, _ any) bool {
			return member == "id" || member == "user_profile" || member == "recipient"
		})
		if diff := gocmp.Diff(map[string]any{
			"active": true, "color": "#c2c2c2", "is_muted": false, "pin_to_top": false, "desktop_notifications": nil, "audible_notifications": nil,
			"push_notifications": nil, "email_notifications": nil, "wildcard_mentions_notify": nil,
		}, row); diff != "" {
			t.Errorf("a subscription: %s", diff)
		}
	}
	for _, table := range []string{
		archive.UserMessages, archive.MutedTopics, archive.Huddles, archive.AlertWords, archive.Statuses, archive.Services, archive.BotConfigs, archive.BotStorage, archive.Scheduled,
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

// What nobody may see in an organization isn't in an archive for administrators: hidden addresses and earlier versions of
// messages. Such an archive can be imported.
func TestHiddenFromEverybody(t *testing.T) {
	t.Parallel()
	w := full(t)
	db := storetest.Connect(t, w.DatabaseURL)
	addresses := storetest.Values[string](db, "select email from users where org_id = $1 and bot_type is null", w.Org.ID)
	for _, test := range []struct {
		visibility             int
		history, wantAddresses bool
	}{{1, true, true}, {3, false, true}, {4, false, false}} {
		db.Exec(`update organizations set settings = settings || jsonb_build_object('email_address_visibility', $1::int, 'allow_edit_history', $2::bool)`,
			test.visibility, test.history)
		dir := export(t, w, w.Org.ID, transfer.Options{PublicOnly: true})
		records, err := os.ReadFile(filepath.Join(dir, archive.AvatarFolder, archive.RecordsFile))
		if err != nil {
			t.Fatal(err)
		}
		all := read(t, dir)
		people, err := json.Marshal(all[archive.Users])
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range addresses {
			if strings.Contains(string(people), address) != test.wantAddresses {
				t.Errorf("addresses that %d may see: %s", test.visibility, people)
			}
		}
		if strings.Contains(string(records), `"ann@`) != test.wantAddresses {
			t.Errorf("pictures with addresses that %d may see: %s", test.visibility, records)
		}
		edited := 0
		for _, row := range all[archive.Messages] {
			if row["edit_history"] != nil {
				edited++
			}
		}
		if edited > 0 != test.history {
			t.Errorf("%d messages have earlier versions", edited)
		}
		if _, report, err := load(t, w, dir, fmt.Sprintf("public%d", test.visibility)); err != nil || len(report.Left()) > 0 {
			t.Errorf("%v, %v", report, err)
		}
	}
}
