package admin_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// tables returns the number of rows of an organization, by table, without the log, whose rows are dropped with their partitions.
func (w *world) tables(number int64) map[string]int64 {
	w.t.Helper()
	db := w.sql()
	rows := map[string]int64{}
	for _, table := range storetest.Values[string](db, `select relname::text from pg_class c join pg_attribute a on attrelid = c.oid
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname = 'org_id'
			and relname not like 'event\_log%' order by 1`) {
		if n := storetest.Values[int64](db, `select count(*) from "`+table+`" where org_id = $1`, number)[0]; n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// queues returns the queues of an organization.
func (w *world) queues(number int64) (found []queue.Queue) {
	w.t.Helper()
	for shard := range w.DB.Shards() {
		all, _, err := w.Redis.Registry(w.t.Context(), shard)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, q := range all {
			if int64(q.Org) == number {
				found = append(found, q)
			}
		}
	}
	return found
}

func TestDelete(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	bob := w.Account(w.org(), user.Draft{FullName: "Bob", Role: actor.Member})
	other := w.Person("Otto", actor.Member)
	other.Subscribe("hall")
	other.SendStream("hall", "t", "stays")
	ada.Subscribe("hall")
	for range 30 {
		ada.SendStream("hall", "t", "goes @**Bob**")
	}
	ada.Do(http.MethodPost, "/messages", params{"type": "private", "to": []int64{int64(bob.ID)}, "content": "psst"}).OK()
	must(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{
		ShortName: new("x"), FullName: new("Xx"), Owner: new("ada@corp.example"), Subscriptions: []string{"hall"},
	}))(t)
	number, root := int64(w.org().ID), int64(w.Org.ID)
	db := w.sql()
	for _, sql := range []string{ // what else there may be
		`insert into profile_fields (org_id, name, type, position) values ($1, 'f', 1, 1)`,
		`insert into profile_values (org_id, user_id, field_id, value) select f.org_id, user_id, field_id, 'v' from profile_fields f join users using (org_id) where org_id = $1`,
		`insert into muted_topics (org_id, user_id, stream_id, topic) select org_id, user_id, stream_id, 't' from subscriptions where org_id = $1`,
		`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
			select org_id, message_id, sender_id, 'unicode_emoji', '1f44d', 'x' from messages where org_id = $1`,
		`insert into submessages (org_id, message_id, sender_id, msg_type, content) select org_id, message_id, sender_id, 'widget', '0' from messages where org_id = $1`,
		`insert into user_groups (org_id, name, description, members) select org_id, 'g', '', array_agg(user_id) from users where org_id = $1 group by 1`,
		`insert into alert_words (org_id, user_id, word) select org_id, user_id, 'w' from users where org_id = $1`,
		`insert into users (org_id, email, full_name, owner_id) select org_id, 'child', 'Child', max(user_id) from users where org_id = $1 group by 1`,
	} {
		db.Exec(sql, number)
	}
	by := presence.Reporter{Org: ada.Org.ID, User: ada.ID, Client: "web"}
	if _, _, err := w.Presence.Report(t.Context(), by, presence.Report{Status: presence.Active, At: w.clock.Now().Unix()}, false); err != nil {
		t.Fatal(err)
	}
	mine, theirs := ada.Everything(nil), other.Everything(nil)
	if rows := w.tables(number); len(rows) < 12 || len(w.queues(number)) != 1 {
		t.Fatalf("there is too little to delete: %v", rows)
	}
	before := w.tables(root)

	gone := make(chan int)
	go func() {
		gone <- ada.Do(http.MethodGet, "/events", params{"queue_id": mine.ID, "last_event_id": mine.Last}).Status
	}()
	w.Parked(1)
	deletion := must(w.DeleteOrganization(t.Context(), key))(t)
	if !deletion.Done || deletion.Rows < 60 {
		t.Errorf("deleted %+v", deletion)
	}
	if status := <-gone; status != http.StatusOK && status != http.StatusBadRequest {
		t.Errorf("the poll that waited was answered with %d", status)
	}
	if rows := w.tables(number); len(rows) > 0 {
		t.Errorf("left: %v", rows)
	}
	if left := w.queues(number); len(left) > 0 {
		t.Errorf("queues left: %v", left)
	}
	if left, err := w.Presence.All(t.Context(), ada.Org.ID, w.clock.Now()); err != nil || len(left) > 0 {
		t.Errorf("presence left: %v, %v", left, err)
	}
	for table, rows := range before {
		if now := w.tables(root)[table]; now < rows {
			t.Errorf("the other organization has %d rows of %s, and had %d", now, table, rows)
		}
	}
	other.SendStream("hall", "t", "still here")
	if got := theirs.Poll(); len(got) != 1 || got[0].Type != "message" {
		t.Errorf("the other organization got %v", got)
	}
	if again := must(w.DeleteOrganization(t.Context(), key))(t); !again.Done || again.Rows != 0 {
		t.Errorf("once more: %+v", again)
	}
	fails(w.Organization(t.Context(), key))(t, 404, "NOT_FOUND", "There is no organization with the key 'team/engineering'.")
	w.made() // the subdomain is free
}

// Clients get an event of the deactivation before their queues are removed, and no rows are removed while requests may
// still be in progress.
func TestDeleteNotifies(t *testing.T) {
	t.Parallel()
	w := newSettlingWorld(t, time.Hour)
	ada := w.made()
	queue := ada.Everything(nil)
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan []servicetest.Event), make(chan error)
	go func() { events <- queue.Poll() }()
	w.Parked(1)
	before := w.tables(int64(ada.Org.ID))
	go func() {
		_, err := w.DeleteOrganization(ctx, key)
		ended <- err
	}()
	if diff := cmp.Diff([]servicetest.Event{{ID: 1000, Type: "realm", Op: "deactivated"}}, <-events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was cut off: %v", err)
	}
	after := w.tables(int64(ada.Org.ID))
	if after["users"] != before["users"] || len(w.queues(int64(ada.Org.ID))) != 1 {
		t.Errorf("left %v of %v", after, before)
	}
	if state := must(w.Organization(t.Context(), key))(t); !state.Deleting || !state.Suspended {
		t.Errorf("it is %+v", state)
	}
}

// A database that doesn't say whether the organization's requests have ended is a failure, not a reason to call again at once.
func TestDeleteFails(t *testing.T) {
	t.Parallel()
	w := newSettlingWorld(t, time.Hour)
	queue := w.made().Everything(nil)
	ended := make(chan error)
	go func() {
		_, err := w.DeleteOrganization(t.Context(), key)
		ended <- err
	}()
	queue.Poll() // until it has begun
	w.sql().Exec("alter table organizations rename column changed_at to changed")
	if err := <-ended; err == nil {
		t.Error("nothing failed")
	}
}

// An interrupted deletion is continued, and the organization can't be changed meanwhile.
func TestDeleteInSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	number := w.org().ID
	if _, err := w.DB.Erase(t.Context(), number, 1); err == nil {
		t.Error("an organization that isn't to be deleted was erased")
	}
	w.sql().Exec("update organizations set deleting = true, deactivated = true where org_id = $1", number)
	fails(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Suspended: new(false)}))(t, 400, "BAD_REQUEST", "This organization is being deleted.")
	fails(w.Streams(key).Put(t.Context(), "s", adminapi.StreamSpec{Name: new("x")}))(t, 400, "BAD_REQUEST", "This organization is being deleted.")
	if state := must(w.Organization(t.Context(), key))(t); !state.Deleting || !state.Suspended {
		t.Errorf("it is %+v", state)
	}
	// The log isn't read: there may be too much of it.
	log := w.sql()
	log.Exec("begin")
	log.Exec("lock table event_log")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for steps := 0; ; steps++ {
		rows, err := w.DB.Erase(ctx, number, 1)
		if err != nil || rows > 1 {
			t.Fatal(rows, err)
		}
		if rows == 0 {
			if steps < 4 {
				t.Errorf("only %d steps", steps)
			}
			break
		}
	}
	log.Exec("rollback")
	if rows := w.tables(int64(number)); len(rows) > 0 {
		t.Errorf("left: %v", rows)
	}
	if rows := must(w.DeleteWholeOrganization(t.Context(), key))(t); rows != 0 {
		t.Errorf("%d rows were left", rows)
	}
}
