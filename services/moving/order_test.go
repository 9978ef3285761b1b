package moving_test

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// In archives that were converted from other programs, all channels precede all private conversations. Here, the messages of
// all files get ids in the order of their times, and what people did with them is with the same messages.
func TestIDsInAnotherOrder(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	const each = 20 // messages in the stream, and in private
	files, want := []map[string]rows{{}, {}, {}, {}}, make([]string, 2*each)
	for i := range 2 * each {
		to, private, at := 11+i/each, i/each, i%each
		one := said(i+1, 1, to, fmt.Sprintf("message %d", i+1))
		one["date_sent"] = 1.6e9 + float64(10*at+private)
		file := files[2*i/each]
		file["zerver_message"] = append(file["zerver_message"], one)
		want[2*at+private] = one["content"].(string)
	}
	files[0]["zerver_usermessage"] = rows{{"user_profile": 2, "message": 5, "flags_mask": 0}}
	files[2]["zerver_usermessage"] = rows{{"user_profile": 2, "message": 23, "flags_mask": 2}}
	made, _, err := load(t, w, write(t, map[string]rows{
		"zerver_userprofile": {person(1, "a@x.example", "Ann"), person(2, "b@x.example", "Bob")}, "zerver_stream": {{"id": 1, "name": "hall"}},
		"zerver_recipient":    {{"id": 11, "type": 2, "type_id": 1}, {"id": 12, "type": 1, "type_id": 2}},
		"zerver_subscription": {{"user_profile": 2, "recipient": 11, "active": true}},
		"zerver_reaction":     {{"user_profile": 2, "message": 7, "emoji_name": "x", "emoji_code": "1f600", "reaction_type": "unicode_emoji"}},
	}, files...), "converted")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	for what, c := range map[string]struct {
		sql  string
		want []string
	}{
		"messages":  {"select content from messages where org_id = $1 order by message_id", want},
		"times":     {"select content from messages where org_id = $1 order by sent_at", want},
		"starred":   {"select content from messages join message_flags f using (org_id, message_id) where org_id = $1 and f.flags & 2 <> 0", []string{"message 23"}},
		"reactions": {"select content from messages join reactions using (org_id, message_id) where org_id = $1", []string{"message 7"}},
		"received":  {"select content from messages m join subscriptions s using (org_id, stream_id) where org_id = $1 and s.received @> m.message_id", []string{"message 5"}},
	} {
		if diff := gocmp.Diff(c.want, storetest.Values[string](db, c.sql, made)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// Profile fields are in the order that an archive says, not in that of its rows.
func TestOrderOfProfileFields(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	made, report, err := load(t, w, write(t, map[string]rows{"zerver_customprofilefield": {
		{"id": 1, "name": "third", "field_type": 1, "order": 8}, {"id": 2, "name": "first", "field_type": 1, "order": 2}, {"id": 3, "name": "second", "field_type": 1, "order": 5},
	}}), "fields")
	if err != nil {
		t.Fatal(err)
	}
	names := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select name from profile_fields where org_id = $1 order by position", made)
	if diff := gocmp.Diff([]string{"first", "second", "third"}, names); diff != "" {
		t.Errorf("%s, left: %v", diff, report.Left())
	}
}
