package bounds_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// world is a server with an organization of many people.
type world struct {
	*servicetest.World
	t      *testing.T
	sql    *storetest.Session
	ada    servicetest.Account // the owner
	people []int64             // all others, ascending
	since  int64               // the event that was the last before the call that is looked at
	xid    int64               // the transaction before it
	counts bool                // see [world.countDeletions]
}

func newWorld(t *testing.T, people int) *world {
	t.Helper()
	w := &world{World: servicetest.New(t), t: t}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	w.ada = w.Person("Ada", actor.Owner)
	w.people = storetest.Values[int64](w.sql, `insert into users (org_id, email, full_name)
		select $1, 'p' || n || '@chat.example', 'P' || n from generate_series(1, $2::int) n returning user_id`, w.Org.ID, people)
	return w
}

// crowded makes the stream hall, which everybody is subscribed to, with so many messages, and returns it. Each account has
// another number of unread ones, Ada all.
func (w *world) crowded(messages int) int64 {
	w.t.Helper()
	const name = "hall"
	w.ada.Do("POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": name}}}).OK()
	made := storetest.Values[int64](w.sql, "select stream_id from streams where name = $1", name)[0]
	w.sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select $1, $2, user_id, '#fff', int8multirange(int8range(next_message_id(), null)) from users where user_id = any ($3)`,
		w.Org.ID, made, w.people)
	w.ada.SendStream(name, "valve", "the first")
	w.sql.Exec(storetest.InsertMessages(`select org_id, sender_id, stream_id, case when n % 2 = 0 then 'valve' else 'pipe ' || n % 10 end as topic, content, rendered
		from messages, generate_series(2, $1::int) n where topic = 'valve' and stream_id = $2`), messages, made)
	w.sql.Exec(`update messages set sender_id = $1 where stream_id = $2`, w.people[0], made)
	w.sql.Exec(`update subscriptions set read_upto = (select max(message_id) from messages where stream_id = $1) - user_id % 7
		where stream_id = $1 and user_id <> $2`, made, w.ada.ID)
	return made
}

// look begins to look at transactions.
func (w *world) look() {
	w.t.Helper()
	w.since = storetest.Values[int64](w.sql, "select coalesce(max(id), 0) from event_log")[0]
	w.xid = storetest.Values[int64](w.sql, "select pg_current_xact_id()::text::bigint")[0]
}

// countDeletions has [world.holds] look at rows that are deleted from some tables, too.
func (w *world) countDeletions(tables ...string) {
	w.t.Helper()
	w.counts = true
	w.sql.Exec(`create table deletions (xid xid8 default pg_current_xact_id(), relation oid, n bigint)`)
	w.sql.Exec(`create function count_deletions() returns trigger language plpgsql security definer as $$
		begin insert into deletions (relation, n) select tg_relid, count(*) from gone; return null; end $$`)
	for _, table := range tables {
		w.sql.Exec(`create trigger count_deletions after delete on ` + table + ` referencing old table as gone for each statement execute function count_deletions()`)
	}
}

// bound is the most that one transaction may do.
type bound struct {
	events, bytes int64 // in the log
	rows          int64 // changed in one table
}

// holds fails the test if any transaction since [world.look] did more. Rows that several of them changed count for the
// last one.
func (w *world) holds(what string, limit bound) {
	w.t.Helper()
	got := storetest.Rows[struct{ Events, Bytes int64 }](w.sql, `select coalesce(max(events), 0), coalesce(max(bytes), 0)::bigint
		from (select count(*) as events, sum(octet_length(payload) + octet_length(audience) + coalesce(octet_length(change), 0)) as bytes
			from event_log where id > $1 group by xid) each`, w.since)[0]
	rows := int64(0)
	for _, table := range []string{"subscriptions", "messages", "message_flags", "topic_marks", "unread_again", "streams", "users", "user_groups", "profile_fields", "profile_values", "submessages", "invitations", "mails"} {
		rows = max(rows, storetest.Values[int64](w.sql, `select coalesce(max(n), 0) from (select count(*) as n from `+table+`
			where xmin::text::bigint > $1 group by xmin::text) each`, w.xid)[0])
	}
	if w.counts {
		rows = max(rows, storetest.Values[int64](w.sql, `select coalesce(max(n), 0)::bigint from (select sum(n) as n from deletions
			where xid::text::bigint > $1 group by xid, relation) each`, w.xid)[0])
	}
	w.t.Logf("%s: at most %d events, %d bytes and %d rows of a table in a transaction", what, got.Events, got.Bytes, rows)
	if got.Events > limit.events || got.Bytes > limit.bytes || rows > limit.rows {
		w.t.Errorf("%s: more than %+v", what, limit)
	}
}

func (w *world) actor() actor.Actor {
	return actor.New(w.Org.ID, actor.Actor{User: w.ada.ID, Role: actor.Owner, FullName: "Ada", Email: w.ada.RealEmail})
}
