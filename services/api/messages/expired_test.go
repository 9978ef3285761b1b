package messages_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// Messages are deleted when they are older than the retention of their stream or organization. No accounts are
// notified, and a week later the messages are destroyed.
func TestDeleteExpired(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	olga, ann := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Member)
	oona := w.Account(w.NewOrg("other"), user.Draft{FullName: "Oona", Role: actor.Owner})
	day := 24 * time.Hour
	for name, days := range map[string]any{"inherits": "realm_default", "forever": "forever", "short": 3, "long": 50} {
		olga.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{"subscriptions": []servicetest.Params{{"name": name}}, "message_retention_days": days}).OK()
	}
	oona.Subscribe("elsewhere")
	olga.Do(http.MethodPatch, "/realm", servicetest.Params{"message_retention_days": 10}).OK()
	db.Exec("delete from messages") // notifications
	db.Exec("update streams set first_message_id = null")
	start := time.Now()
	write := func(age time.Duration) {
		t.Helper()
		since := storetest.Values[int64](db, "select coalesce(max(message_id), 0) from messages")[0]
		for _, stream := range []string{"inherits", "forever", "short", "long"} {
			olga.SendStream(stream, "x", fmt.Sprint(age))
		}
		oona.SendStream("elsewhere", "x", fmt.Sprint(age))
		for range 25 { // more than the first transaction deletes
			ann.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []any{olga.ID}, "content": fmt.Sprint(age)}).OK()
		}
		db.Exec("update messages set sent_at = $2 where message_id > $1", since, start.Add(-age))
	}
	for _, days := range []int{60, 20, 9, 2} {
		write(time.Duration(days) * day)
	}
	watch := olga.Everything(nil)
	clock := start
	revisions := revision.New(w.DB, w.Orgs, w.Messages, func() time.Time { return clock })
	deleteExpired := func() {
		t.Helper()
		if err := revisions.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	left := func() map[string]int64 {
		rows := storetest.Rows[struct {
			Name  string
			Count int64
		}](db, `select coalesce(s.name, 'private'), count(*) from messages m left join streams s using (org_id, stream_id) group by 1`)
		counts := map[string]int64{}
		for _, row := range rows {
			counts[row.Name] = row.Count
		}
		return counts
	}
	deleteExpired()
	servicetest.Same(t, "now", map[string]int64{"inherits": 2, "forever": 4, "short": 1, "long": 3, "private": 50, "elsewhere": 4}, left())
	wrong := storetest.Values[string](db, `select name from streams s where first_message_id is distinct from (select min(message_id) from messages m where m.stream_id = s.stream_id)`)
	servicetest.Same(t, "streams with another first message", []string{}, wrong)
	servicetest.Same(t, "events", 0, len(w.EventsOf(map[string]*servicetest.Queue{"olga": watch})["olga"]))
	clock = start.Add(day - time.Minute)
	deleteExpired()
	servicetest.Same(t, "a day later", map[string]int64{"inherits": 2, "forever": 4, "short": 1, "long": 3, "private": 50, "elsewhere": 4}, left())
	clock = start.Add(day + time.Minute)
	deleteExpired()
	servicetest.Same(t, "two minutes later", map[string]int64{"inherits": 1, "forever": 4, "long": 3, "private": 25, "elsewhere": 4}, left())
	archived := storetest.Values[int64](db, "select count(*) from deleted_messages")[0]
	servicetest.Same(t, "archived", int64(3+4+1+75), archived)
	db.Exec("update deleted_messages set deleted_at = now() - interval '8 days'")
	if err := revisions.DestroyDeleted(t.Context()); err != nil {
		t.Fatal(err)
	}
	servicetest.Same(t, "archived a week later", int64(0), storetest.Values[int64](db, "select count(*) from deleted_messages")[0])

	// Unlimited retention, and times before the earliest one in PostgreSQL, delete nothing.
	olga.Do(http.MethodPatch, "/realm", servicetest.Params{"message_retention_days": 2147483647}).OK()
	clock = start.Add(20 * day)
	deleteExpired()
	servicetest.Same(t, "kept for long", map[string]int64{"inherits": 1, "forever": 4, "long": 3, "private": 25, "elsewhere": 4}, left())
}

// A message is deleted by its own time, even if ids aren't in the order of times.
func TestDeleteExpiredByTime(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	olga, ann := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Member)
	olga.Subscribe("hall")
	olga.Do(http.MethodPatch, "/realm", servicetest.Params{"message_retention_days": 10}).OK()
	db.Exec("delete from messages") // notifications
	db.Exec("update streams set first_message_id = null")
	for _, content := range []string{"old", "new", "new"} {
		olga.SendStream("hall", "x", content)
	}
	private := func(content string) {
		ann.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []any{olga.ID}, "content": content}).OK()
	}
	private("new too")
	for range 40 { // most of the messages are old, and have the last ids
		private("old")
	}
	db.Exec("update messages set sent_at = now() - interval '20 days' where content = 'old'")
	if err := w.Revisions.DeleteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	servicetest.Same(t, "messages", []string{"new", "new", "new too"}, storetest.Values[string](db, "select content from messages order by message_id"))
}
