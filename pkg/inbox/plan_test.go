package inbox_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/testbed"
)

// With any number of messages and marks, all statements use indexes, also under row-level security.
func TestPlans(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.person(w.acme, "ada"), w.person(w.acme, "bob")
	w.flood(ada, bob, 20_000)
	w.exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto)
		select $1, u, 9001 + n % 2, 'topic ' || n, n from unnest(array[$2, $3]::bigint[]) u, generate_series(1, 1000) n`, w.acme.ID, ada, bob)
	w.exec(`insert into unread_again (org_id, user_id, messages) values ($1, $2, '{[40,41)}')`, w.acme.ID, ada)
	w.exec(`insert into message_flags (org_id, user_id, message_id, flags) select $1, u, n * 40, 2
		from unnest(array[$2, $3]::bigint[]) u, generate_series(1, 1000) n`, w.acme.ID, ada, bob)
	w.exec(`analyze topic_marks, unread_again, message_flags`)
	// The plans of statements inside functions are reported as notices.
	w.exec(`load 'auto_explain'`)
	for _, setting := range []string{"auto_explain.log_min_duration = 0", "auto_explain.log_nested_statements = on"} {
		w.exec("set " + setting)
	}
	w.exec(`set role chatserver_service`)
	w.exec(`set app.org = ` + strconv.FormatInt(int64(w.acme.ID), 10))
	user := strconv.FormatInt(int64(ada), 10)
	values := strings.NewReplacer("@user_ids", "'{"+user+"}'", "@user_id", user, "@stream_ids", "'{9001}'", "@stream_id", "9001",
		"@message_ids", "'{40,80,120}'", "@message_id", "40", "@max_messages", "50000", "@mentions_all", "1", "@mentioned", "8",
		"@max_conversations", "1000", "@portion", "150", "@flags", "2", "@flag", "2", "@upto", "400000", "@topic", "'t1'", "@messages", "'{40}'",
		"@width", "1000", "@few", "10", "@many", "1000", "@max_rows", "200", "@to_stream", "9001", "@from_stream", "9002", "@to_topic", "'t1'", "@from_topic", "'t2'")
	for file, names := range map[string][]string{
		"inbox": {"UnreadMessages", "RecentConversations", "StarredMessages"},
		"mark": {
			"UnreadInStreams", "UnreadInStream", "UnreadInTopic", "UnreadAgain", "PortionsOfStream", "PortionsOfTopic", "HoldsTopic", "LeaveStreams", "UnreadAgainElsewhere", "ForgetTopicMarks", "HeldMessages",
			"MarkUnread", "RemovePersonalFlag", "FlagsOfStreamMessage", "FlagsOfPrivateMessage",
		},
		"mark_move": {"MovedMarks"},
	} {
		for _, name := range names {
			rows, err := w.conn.Query(t.Context(), "explain "+values.Replace(query(t, file, name)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			plan := strings.Join(lines, "\n")
			check(t, name, plan)
			if name == "LeaveStreams" && strings.Contains(plan, " on messages") {
				t.Errorf("events wait while it looks for messages:\n%s", plan)
			}
		}
	}
	w.exec("set client_min_messages = log")
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		w.exec("set plan_cache_mode = " + mode)
		for _, messages := range []string{"40", "80,120", "44"} {
			*w.notices = nil
			w.exec(`select mark_read(json_populate_record(null::read_request, json_build_object('org', $1::bigint, 'shard', 0, 'reader', $2::bigint,
				'messages', $3::json, 'payload', '', 'audience', '', 'trace', '', 'look', 1000, 'ranges', 1000)))`, w.acme.ID, ada, "["+messages+"]")
			if len(*w.notices) < 10 {
				t.Errorf("%d plans of marking message %s", len(*w.notices), messages)
			}
			check(t, mode+", marking "+messages, strings.Join(*w.notices, "\n"))
		}
	}
}

// Those who joined a stream lately, came back to it or have left it received few of its messages. Leaving it, and marking it or a
// topic as read, looks at no others.
func TestOthersHistoryIsNotRead(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada, bob, carl := w.person(w.acme, "ada"), w.person(w.acme, "bob"), w.person(w.acme, "carl")
	w.flood(ada, bob, 6000) // 2000 in the stream, the last with the id 239920
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9001, $2, '#fff', '{}')`, w.acme.ID, carl)
	user := strconv.FormatInt(int64(carl), 10)
	values := strings.NewReplacer("@user_ids", "'{"+user+"}'", "@user_id", user, "@stream_ids", "'{9001}'", "@stream_id", "9001",
		"@max_messages", "50000", "@upto", "400000", "@topic", "'t1'", "@portion", "5")
	for _, c := range []struct {
		name, received string
		readUpto       int
		unread, full   int // unread messages, and full portions of five
	}{
		{"joined lately", "{[239000,)}", 0, 8, 1},
		{"came back", "{[1,401),[239000,)}", 400, 8, 1},
		{"left", "{[1,401)}", 400, 0, 0},
		{"never had any", "{}", 0, 0, 0},
	} {
		w.exec(`begin`)
		w.exec(`update subscriptions set received = $1::int8multirange, read_upto = $2 where user_id = $3`, c.received, c.readUpto, carl)
		w.exec(`set local role chatserver_service`)
		w.exec(`set local app.org = ` + strconv.FormatInt(int64(w.acme.ID), 10))
		read := func() (rows int) {
			t.Helper()
			err := w.conn.QueryRow(t.Context(), `select (seq_tup_read + idx_tup_fetch)::int from pg_stat_xact_user_tables where relname = 'messages'`).Scan(&rows)
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		for name, count := range map[string]struct {
			of   string
			want int
		}{
			"UnreadInStreams": {"coalesce(sum(cardinality(messages)), 0)", c.unread}, "PortionsOfStream": {"count(*)", c.full},
			"UnreadInStream": {"count(*)", c.unread}, "UnreadAgain": {"count(*)", 0},
			"UnreadInTopic": {"least(count(*), 0)", 0}, "PortionsOfTopic": {"count(*)", 0}, "HoldsTopic": {"count(*) filter (where holds) * 0", 0},
		} {
			got, before := 0, read()
			statement := "select (" + count.of + ")::int from (" + values.Replace(query(t, "mark", name)) + ") found"
			if err := w.conn.QueryRow(t.Context(), statement).Scan(&got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if rows := read() - before; got != count.want || rows > 50 {
				t.Errorf("%s: %s found %d, want %d, and read %d messages", c.name, name, got, count.want, rows)
			}
			// The same with a plan for all parameters, as PostgreSQL may choose after a few executions.
			parameters := []string{}
			prepared := parameter.ReplaceAllStringFunc(query(t, "mark", name), func(found string) string {
				if !slices.Contains(parameters, found) {
					parameters = append(parameters, found)
				}
				return "$" + strconv.Itoa(slices.Index(parameters, found)+1)
			})
			w.exec("set local plan_cache_mode = force_generic_plan")
			w.exec("prepare counted as select (" + count.of + ")::int from (" + prepared + ") found")
			before = read()
			if err := w.conn.QueryRow(t.Context(), "execute counted ("+values.Replace(strings.Join(parameters, ", "))+")").Scan(&got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if rows := read() - before; got != count.want || rows > 50 {
				t.Errorf("%s: %s with a generic plan found %d, want %d, and read %d messages", c.name, name, got, count.want, rows)
			}
			w.exec("deallocate counted")
			w.exec("set local plan_cache_mode = auto")
		}
		w.exec(`rollback`)
	}
}

// Starred messages are found without the rows of all that mention somebody.
func TestMentionsAreNotReadForStars(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada := w.person(w.acme, "ada")
	w.exec(`insert into message_flags (org_id, user_id, message_id, flags) select $1, $2, n, case when n % 2000 = 0 then 10 else 8 end
		from generate_series(1, 20000) n`, w.acme.ID, ada)
	w.exec(`analyze message_flags`)
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		w.exec(`begin`)
		w.exec(`set local plan_cache_mode = ` + mode)
		w.exec(`set local role chatserver_service`)
		w.exec(`set local app.org = ` + strconv.FormatInt(int64(w.acme.ID), 10))
		starred, rows := 0, 0
		statement := "select count(*) from (" + strings.ReplaceAll(query(t, "inbox", "StarredMessages"), "@user_id", "$1::bigint") + ") found"
		if err := w.conn.QueryRow(t.Context(), statement, ada).Scan(&starred); err != nil {
			t.Fatal(err)
		}
		err := w.conn.QueryRow(t.Context(), `select (seq_tup_read + idx_tup_fetch)::int from pg_stat_xact_user_tables where relname = 'message_flags'`).Scan(&rows)
		if err != nil || starred != 10 || rows > 20 {
			t.Errorf("%s: %d starred messages, %d rows read: %v", mode, starred, rows, err)
		}
		w.exec(`rollback`)
	}
}

// Whoever has marked many messages as unread again waits for these to be decompressed once, not once for each message that is looked at.
func TestUnreadAgainIsDecompressedOnce(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.person(w.acme, "ada"), w.person(w.acme, "bob")
	w.flood(ada, bob, 6000)
	w.exec(`insert into unread_again (org_id, user_id, messages) select $1, $2, range_agg(int8range(n * n, n * n + 1))
		from generate_series(1000, 5000) n`, w.acme.ID, ada)
	w.exec(`update users set read_upto = 0 where user_id = $1`, ada)
	w.exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto)
		select distinct $1::bigint, $2::bigint, stream_id, topic_key, 1000000000 from messages where stream_id = 9001`, w.acme.ID, ada)
	user := strconv.FormatInt(int64(ada), 10)
	values := strings.NewReplacer("@user_ids", "'{"+user+"}'", "@stream_ids", "'{9001}'", "@max_messages", "50000", "@upto", "1000000000")
	for what, statement := range map[string]string{
		"leave":         "select count(*) from (" + values.Replace(query(t, "mark", "UnreadInStreams")) + ") found",
		"advance marks": "select cardinality(advance_marks(" + user + ", '{9001}', '{}', 1000000000, 1000, 100000))",
	} {
		w.exec(`begin`)
		w.exec(`set local app.org = ` + strconv.FormatInt(int64(w.acme.ID), 10))
		count, scans := 0, 0
		if err := w.conn.QueryRow(t.Context(), statement).Scan(&count); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		err := w.conn.QueryRow(t.Context(), `select idx_scan::int from pg_stat_xact_all_tables
			where relid = (select reltoastrelid from pg_class where oid = 'unread_again'::regclass)`).Scan(&scans)
		if err != nil || scans == 0 || scans > 10 {
			t.Errorf("%s: %d times: %v", what, scans, err)
		}
		w.exec(`rollback`)
	}
}

// query returns the statement of a query in a file of pkg/store, without comments.
func query(t *testing.T, file, name string) string {
	t.Helper()
	text, err := os.ReadFile("../store/query/" + file + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	_, statement, found := strings.Cut(string(text), "-- name: "+name+" :")
	if !found {
		t.Fatalf("no query %s", name)
	}
	_, statement, _ = strings.Cut(statement, "\n")
	statement, _, _ = strings.Cut(regexp.MustCompile(`(?m)^ *--.*$`).ReplaceAllString(statement, ""), ";")
	return statement
}

// check fails the test for scans of tables, and for rows that are read and then discarded because they are out of
// bounds.
func check(t *testing.T, name, plan string) {
	t.Helper()
	if scanned.MatchString(plan) || filtered.MatchString(plan) {
		t.Errorf("%s:\n%s", name, plan)
	}
}

var (
	parameter = regexp.MustCompile(`@\w+`)
	scanned   = regexp.MustCompile(`Seq Scan on (messages|topic_marks|message_flags)`)
	filtered  = regexp.MustCompile(`(?m)^\s*Filter:.*message_id (>=|<=|<) `)
)
