package store_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
)

// plan is a step of PostgreSQL's plan.
type plan struct {
	Node     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Removed  float64 `json:"Rows Removed by Filter"`
	Recheck  float64 `json:"Rows Removed by Index Recheck"`
	Unjoined float64 `json:"Rows Removed by Join Filter"`
	Hit      int     `json:"Shared Hit Blocks"`
	Read     int     `json:"Shared Read Blocks"`
	Plans    []plan  `json:"Plans"`
}

func (p plan) walk(visit func(plan)) {
	visit(p)
	for _, child := range p.Plans {
		child.walk(visit)
	}
}

// busy is an organization with many messages and one reader.
type busy struct {
	*world
	conn         *pgx.Conn // for explain
	org          id.Org
	reader       id.User
	newcomer     id.User     // reader of the last messages of one stream
	guest        id.User     // reader of all messages of one stream
	careful      id.User     // reader of the first 200 streams, with an old unread message and 500 new ones
	undecided    id.User     // reader of the first 200 streams, who has marked every fourth message as unread again
	streams      []id.Stream // the reader is in the first 200
	asleep       id.Stream   // one of them, in which all messages are old
	sender       id.User
	writer       id.User // sender of every fifth private message
	conversation id.Conversation
}

const busyMessages = 90_000

func newBusy(t *testing.T) *busy {
	t.Helper()
	b := &busy{world: newWorld(t)}
	b.org = b.world.org()
	other := b.world.org()
	people := b.users(b.org, 50)
	b.reader, b.sender, b.writer, b.newcomer, b.guest, b.careful, b.undecided = people[0], people[7], people[10], people[30], people[31], people[32], people[33]
	names := make([]string, 300)
	for i := range names {
		names[i] = fmt.Sprintf("stream %d", i)
	}
	b.streams = b.world.streams(b.org, names...)
	b.asleep = b.streams[13]
	b.session.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select $1, s, u, '#fff', int8multirange(int8range(1, null)) from unnest($2::bigint[]) u cross join unnest($3::bigint[]) s
		where u <> $4 or s = $5`, b.org, []id.User{b.reader, b.careful, b.guest, b.undecided}, b.streams[:200], b.guest, b.streams[5])
	b.session.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		values ($1, $2, $3, '#fff', int8multirange(int8range($4, null)))`, b.org, b.streams[5], b.newcomer, busyMessages-1000)
	for i := range 20 {
		made := id.Conversation(storedConversation(b.world, b.org, []id.User{b.reader, people[i+1]}))
		if i == 3 {
			b.conversation = made
		}
	}
	// Every twentieth message is private. The stream asleep has every 50th of the first tenth.
	b.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, n as message_id, ($3::bigint[])[1 + n * 31 % 50] as sender_id,
			case when n % 20 <> 0 then (case when n % 50 = 1 and n < $4 / 10 then $5::bigint else ($2::bigint[])[1 + n * 7919 % 300] end) end as stream_id,
			case when n % 20 = 0 then (select min(conversation_id) from conversations where org_id = $1) + n / 20 % 20 end as conversation_id,
			case when n % 20 <> 0 then 'Topic ' || n / 300 % 40 else '' end as topic,
			'the valve number ' || n || case when n % 1000 = 1 then ' is leaking' else ' is tight' end || case when n < $4 / 50 then ' (Grundfos)' else '' end as content, 'x' as rendered,
			case when n % 500 = 0 then 1 when n % 50 = 13 then 4 when n % 9000 = 11 then 24 else 0 end as flags
		from generate_series(1, $4::bigint) n`), b.org, b.streams, people, busyMessages, b.asleep)
	b.session.Exec(`delete from messages where stream_id = $1 and message_id > $2`, b.asleep, busyMessages/10)
	b.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, n as message_id, 1 as sender_id, 1 as stream_id, 'the valve is leaking' as content
		from generate_series($2::bigint + 1, $2::bigint + 20000) n`), other, busyMessages)
	b.session.Exec(`insert into message_flags (org_id, user_id, message_id, flags)
		select $1, $2, n, case when n % 200 = 0 then 2 else 8 end from generate_series(1, $3::bigint) n where n % 100 = 0`, b.org, b.reader, busyMessages)
	b.session.Exec(`insert into message_flags (org_id, user_id, message_id, flags)
		select $1, u, n, 2 from generate_series(1, $2::bigint) n cross join unnest($3::bigint[]) u where n % 200 = 7`, b.org, busyMessages, people[1:20])
	b.session.Exec(`update users set read_upto = $2 where user_id = any ($1)`, []id.User{b.reader, b.careful, b.undecided}, busyMessages-500)
	b.session.Exec(`insert into unread_again (org_id, user_id, messages)
		select $1, $2, int8multirange(int8range(min(message_id), min(message_id), '[]')) from messages where stream_id = $3`, b.org, b.careful, b.streams[5])
	b.session.Exec(`insert into unread_again (org_id, user_id, messages)
		select $1, $2, range_agg(int8range(n * 4, n * 4 + 1)) from generate_series(1, $3::bigint / 4 - 200) n`, b.org, b.undecided, busyMessages)
	b.session.Exec(`vacuum analyze`)
	conn, err := pgx.Connect(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	b.conn = conn
	return b
}

// explain runs a narrow as a service would, and returns its plan.
func (b *busy) explain(t *testing.T, n store.Narrow, r store.MessageRange) plan {
	t.Helper()
	if _, err := b.conn.Exec(t.Context(), fmt.Sprintf("begin; set local role chatserver_service; set local app.org = %d; set local jit = off", b.org)); err != nil {
		t.Fatal(err)
	}
	statement, args := store.Statement(n, r)
	text := []byte(nil)
	err := b.conn.QueryRow(t.Context(), "explain (analyze, buffers, timing off, format json) "+statement, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.conn.Exec(t.Context(), "rollback"); err != nil {
		t.Fatal(err)
	}
	plans := []struct {
		Plan plan `json:"Plan"`
	}{}
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}

// The common narrows are ranges of an index, however many messages there are: they don't read all messages, and only
// few that don't match.
func TestNarrowPlans(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it makes many messages")
	}
	b := newBusy(t)
	b.topicsPlan(t)
	term := func(conditions ...store.Condition) []store.NarrowTerm {
		terms := []store.NarrowTerm{}
		for _, c := range conditions {
			terms = append(terms, store.NarrowTerm{Condition: c})
		}
		return terms
	}
	const page = 100
	newest := store.MessageRange{Last: 10_000_000_000_000_000, Newest: true, Limit: page}
	oldest := store.MessageRange{Last: 10_000_000_000_000_000, Limit: page}
	middle := store.MessageRange{Last: busyMessages / 2, Newest: true, Limit: page}
	feed := []string{"messages_stream", "messages_conversation", "messages_pkey"}
	for _, c := range []struct {
		name    string
		terms   []store.NarrowTerm
		history bool
		indexes []string
		rows    int // maximum number of messages
		blocks  int // maximum number of blocks of 8 KiB
		found   int // minimum number of results
		reader  id.User
	}{
		{"stream", term(store.InStream{Stream: b.streams[5]}), true, []string{"messages_stream"}, 2 * page, 400, page, 0},
		{"stream that is asleep", term(store.InStream{Stream: b.asleep}), true, []string{"messages_stream"}, 2 * page, 400, page, 0},
		{"stream without history", term(store.InStream{Stream: b.streams[5]}), false, feed, 20 * page, 12000, page, 0},
		{"topic", term(store.InStream{Stream: b.streams[5]}, store.InTopic{Topic: "TOPIC 5"}), true, []string{"messages_topic"}, 2 * page, 400, 1, 0},
		{"topic without history", term(store.InStream{Stream: b.streams[5]}, store.InTopic{Topic: "TOPIC 5"}), false, []string{"messages_topic", "messages_pkey", "messages_conversation", "messages_stream"}, 20 * page, 12000, 1, 0},
		{"conversation", term(store.InConversation{Conversation: b.conversation}), false, []string{"messages_conversation"}, 2 * page, 400, page, 0},
		{"sender", term(store.SentBy{Sender: b.sender}), false, []string{"messages_sender"}, 3 * page, 3000, page, 0},
		{"starred", term(store.HasFlags{Flags: event.Starred}), false, []string{"messages_pkey"}, 2 * page, 1500, page, 0},
		{"mentioned", term(store.IsMentioned{}), false, []string{"messages_pkey", "messages_mentioning_all"}, 6 * page, 3000, page, 0},
		{"message", term(store.HasID{Messages: []id.Message{busyMessages / 3}}), false, []string{"messages_pkey"}, 2, 100, 0, 0},
		{"private", term(store.IsPrivate{}), false, feed, 12 * page, 3000, page, 0},
		{"unread", term(store.IsUnread{}), false, feed, 20 * page, 12000, 1, 0},
		{"search", term(store.HasWords{Words: "leaks"}), false, []string{"messages_pkey"}, 5 * page, 6000, 50, 0},
		{"frequent word", term(store.HasWords{Words: "valve"}), false, []string{"messages_pkey"}, 5 * page, 12000, page, 0},
		{"frequent word in a stream", term(store.InStream{Stream: b.asleep}, store.HasWords{Words: "valve"}), true, []string{"messages_stream"}, 5 * page, 12000, page, 0},
		{name: "unread with a frequent word", terms: term(store.IsUnread{}, store.HasWords{Words: "valve"}), indexes: feed, rows: 8 * page, blocks: 12000, found: 1},
		{name: "frequent word for a newcomer", terms: term(store.HasWords{Words: "valve"}), indexes: feed[2:], rows: 12 * page, blocks: 12000, found: 1, reader: b.newcomer},
		{name: "unread with a frequent word, one of them old", terms: term(store.IsUnread{}, store.HasWords{Words: "valve"}), indexes: feed, rows: 8 * page, blocks: 12000, found: 1, reader: b.careful},
		{name: "unread, many of them again", terms: term(store.IsUnread{}, store.HasWords{Words: "valve"}), indexes: feed, rows: 10 * page, blocks: 6000, found: page, reader: b.undecided},
		{name: "mentioned with a frequent word", terms: term(store.IsMentioned{}, store.HasWords{Words: "valve"}), indexes: []string{"messages_mentioning_all"}, rows: 6 * page, blocks: 6000, reader: b.careful},
		{name: "frequent word for a guest", terms: term(store.HasWords{Words: "valve"}), rows: 20 * page, blocks: 20000, found: page, reader: b.guest},
		{name: "word that was frequent", terms: term(store.HasWords{Words: "grundfos"}), rows: 5 * page, blocks: 4000, found: page},
		{name: "sender for a guest", terms: term(store.SentBy{Sender: b.sender}), indexes: []string{"messages_sender"}, rows: 3 * page, blocks: 3000, reader: b.guest},
		{"private by a sender", term(store.IsPrivate{}, store.SentBy{Sender: b.writer}), false, feed, 20 * page, 6000, page, 0},
		{"link", term(store.HasAttribute{Bit: 4}), false, append([]string{"messages_links"}, feed...), 20 * page, 12000, page, 0},
		{"rare file", term(store.HasAttribute{Bit: 16}), false, append([]string{"messages_files"}, feed...), busyMessages / 15, 18000, 3, 0},
		{"rare file in a stream", term(store.InStream{Stream: b.streams[29]}, store.HasAttribute{Bit: 8}), true, []string{"messages_files"}, page, 100, 0, 0},
		{"everything", nil, false, feed, 20 * page, 12000, page, 0},
		{"home", term(store.InHome{}), false, feed, 20 * page, 12000, page, 0},
		{"public streams", term(store.InPublicStreams{}), true, feed, 20 * page, 15000, page, 0},
	} {
		for where, r := range map[string]store.MessageRange{"newest": newest, "oldest": oldest, "middle": middle} {
			if where == "middle" && slices.Contains([]string{"unread", "message", "search", "unread with a frequent word", "frequent word for a newcomer"}, c.name) {
				continue
			}
			got := b.explain(t, store.Narrow{Reader: cmp.Or(c.reader, b.reader), Terms: c.terms, History: c.history}, r)
			rows := 0.0
			got.walk(func(p plan) {
				if p.Loops > 0 && p.Relation == "messages" {
					rows += (p.Rows + p.Removed + p.Recheck) * p.Loops
					if !slices.Contains(c.indexes, p.Index) && !slices.Contains(feed[2:], p.Index) {
						t.Errorf("%s, %s: %s by %q", c.name, where, p.Node, p.Index)
					}
				}
				if p.Loops > 0 && p.Node == "Seq Scan" && p.Relation == "message_flags" {
					t.Errorf("%s, %s: all of %s", c.name, where, p.Relation)
				}
			})
			if int(rows) > c.rows || got.Hit+got.Read > c.blocks || int(got.Rows) < c.found {
				t.Errorf("%s, %s: %v found, %v rows of messages, %d blocks; want %d, %d, %d", c.name, where, got.Rows, rows, got.Hit+got.Read, c.found, c.rows, c.blocks)
			}
		}
	}
}

// topicsPlan checks that listing topics skips from one to the next, in a stream of some 400 messages, and stops at
// the limit.
func (b *busy) topicsPlan(t *testing.T) {
	t.Helper()
	for _, every := range []bool{true, false} {
		for limit, want := range map[int32]int{1000: 40, 10: 10} {
			err := b.db.Read(t.Context(), b.org, func(tx *store.Tx) error {
				before, err := tx.RowsRead(t.Context(), "messages") // by earlier transactions
				if err != nil {
					return err
				}
				topics, err := tx.TopicsOf(t.Context(), sqlc.TopicsOfParams{StreamID: int64(b.streams[5]), Every: every, UserID: int64(b.reader), MaxRows: limit})
				if err != nil {
					return err
				}
				after, err := tx.RowsRead(t.Context(), "messages")
				if rows := int(after - before); len(topics) != want || rows > 2*want {
					t.Errorf("%d topics, %d messages looked at", len(topics), rows)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A conversation is found by its members, however many others there are.
func TestConversationPlans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	w.session.Exec(`insert into conversations (org_id, members)
		select $1, m from generate_series(1, 5000) n cross join lateral (values (array[n]), (array[n, n + 1]), (array[n, n + 1, n + 2])) v (m)`, org)
	w.session.Exec("analyze conversations")
	err := w.db.Read(t.Context(), org, func(tx *store.Tx) error {
		before, err := tx.RowsRead(t.Context(), "conversations") // by earlier transactions
		if err != nil {
			return err
		}
		found := map[id.Conversation]bool{}
		for _, members := range [][]id.User{{70}, {70, 71}, {70, 71, 72}} {
			one, err := tx.ConversationOfMembers(t.Context(), members)
			if err != nil {
				return err
			}
			found[one] = true
		}
		if err := tx.HoldConversations(t.Context(), []int64{70, 72}, 71); err != nil {
			return err
		}
		after, err := tx.RowsRead(t.Context(), "conversations")
		if rows := after - before; len(found) != 3 || rows > 20 {
			t.Errorf("%d conversations were found, %d looked at", len(found), rows)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
