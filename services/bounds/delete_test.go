package bounds_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// Messages go with their flags, so fewer of them at a time where those are many. Reactions go later.
func TestMessagesWithManyRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	hall := w.crowded(60)
	w.sql.Exec(`insert into message_flags (org_id, message_id, user_id, flags) select $1, message_id, user_id, 2 from messages, users where topic <> 'stream events'
		and user_id = any ($2)`, w.Org.ID, w.people)
	w.sql.Exec(`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name) select $1, message_id, user_id, 'unicode_emoji', '1f389', 'tada'
		from messages, users where topic <> 'stream events' and user_id = any ($2)`, w.Org.ID, w.people)
	left := func(what string, messages, reactions int64) {
		t.Helper()
		for table, want := range map[string]int64{"messages where topic <> 'stream events'": messages, "message_flags": 100 * messages, "reactions": 100 * reactions} {
			if got := storetest.Values[int64](w.sql, "select count(*) from "+table)[0]; got != want {
				t.Errorf("%s: %d of %s, want %d", what, got, table, want)
			}
		}
	}
	left("before", 60, 60)
	w.countDeletions("message_flags", "reactions", "messages")
	limit := bound{events: 30, bytes: 30_000, rows: 1000}

	w.look()
	w.ada.Do("POST", fmt.Sprintf("/streams/%d/delete_topic", hall), params{"topic_name": "valve"}).OK()
	w.holds("a topic", limit)
	w.Resume()
	w.holds("reactions to a topic", limit)
	left("a topic", 29, 29)

	w.look()
	newest := storetest.Values[int64](w.sql, "select max(message_id) from messages")[0]
	w.sql.Exec(`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name) select $1, $2, user_id, 'unicode_emoji', '1f389' || n, 'tada'
		from users, generate_series(1, 20) n where user_id = any ($3)`, w.Org.ID, newest, w.people)
	w.ada.Do("DELETE", fmt.Sprintf("/messages/%d", newest), nil).OK()
	w.Resume()
	w.holds("a message", limit)
	left("a message", 28, 28)

	w.sql.Exec("update messages set sent_at = now() - interval '9 days'")
	w.ada.Do("PATCH", "/realm", params{"message_retention_days": 3}).OK()
	w.look()
	if err := w.Revisions.DeleteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Resume()
	w.holds("old messages", limit)
	left("old messages", 0, 0)
}

// Deleted messages of all organizations are destroyed some at a time, however many there are.
func TestManyMessagesAreDestroyed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.countDeletions("deleted_messages")
	w.sql.Exec(`insert into deleted_messages (org_id, message_id, message, deleted_at, deleted_by)
		select $1, n, '{}', now() - interval '8 days', $2 from generate_series(1, 1700) n`, w.Org.ID, w.ada.ID)
	w.look()
	if err := w.Revisions.DestroyDeleted(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.holds("deleted messages", bound{rows: 500})
	if left := storetest.Values[int64](w.sql, "select count(*) from deleted_messages")[0]; left != 0 {
		t.Errorf("%d messages are left", left)
	}
}
