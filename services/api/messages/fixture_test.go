package messages_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// world is a server with access to its database.
type world struct {
	*servicetest.World
	db *storetest.Session
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := servicetest.New(t)
	return &world{World: w, db: storetest.Connect(t, w.DatabaseURL)}
}

// set changes settings of the first organization. Call it before the first call of any account.
func (w *world) set(settings string) {
	w.T.Helper()
	w.db.Exec("update organizations set settings = settings || $1::jsonb where org_id = $2", settings, w.Org.ID)
}

// age makes an account old enough to be a full member with every waiting period used here.
func (w *world) age(a servicetest.Account) {
	w.T.Helper()
	w.db.Exec("update users set joined_at = $1 where user_id = $2", time.Now().AddDate(-1, 0, 0), a.ID)
}

// stream creates a stream with its first subscriber and returns its id.
func (w *world) stream(by servicetest.Account, name string, settings params) int64 {
	w.T.Helper()
	return by.NewStream(name, settings)
}

func (w *world) number(sql string, args ...any) int64 {
	w.T.Helper()
	values := storetest.Values[int64](w.db, sql, args...)
	if len(values) != 1 {
		w.T.Fatalf("%s: %d rows", sql, len(values))
	}
	return values[0]
}

// counts returns the number of rows in each table. Partitions count as their table.
func (w *world) counts() map[string]int64 {
	w.T.Helper()
	query := storetest.Values[string](w.db, `select string_agg(format('select %L, count(*) from %I', relname, relname), ' union all ') from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)[0]
	counts := map[string]int64{}
	for _, of := range storetest.Rows[struct {
		Table string
		Rows  int64
	}](w.db, query) {
		counts[of.Table] = of.Rows
	}
	return counts
}

// grown returns the growth of the tables that have grown.
func grown(before, after map[string]int64) map[string]int64 {
	by := map[string]int64{}
	for table := range after {
		if n := after[table] - before[table]; n != 0 {
			by[table] = n
		}
	}
	return by
}

// unchanged fails the test if work adds a row anywhere.
func (w *world) unchanged(t *testing.T, work func()) {
	t.Helper()
	before := w.counts()
	work()
	if by := grown(before, w.counts()); len(by) > 0 {
		t.Errorf("rows were left behind: %v", by)
	}
}

// stored is a message in the database.
type stored struct {
	Stream       *int64
	Conversation *int64
	Topic        string
	Content      string
	Client       string
}

func (w *world) stored(message int64) stored {
	w.T.Helper()
	rows := storetest.Rows[stored](w.db,
		"select stream_id, conversation_id, topic, content, client from messages where message_id = $1", message)
	if len(rows) != 1 {
		w.T.Fatalf("message %d: %d rows", message, len(rows))
	}
	return rows[0]
}

// members returns the participants of a private message.
func (w *world) members(message int64) []int64 {
	w.T.Helper()
	return storetest.Values[int64](w.db, `select unnest(members) from conversations
		join messages using (org_id, conversation_id) where message_id = $1`, message)
}

func send(a servicetest.Account, p params) servicetest.Answer {
	return a.Do(http.MethodPost, "/messages", p)
}

func sent(a servicetest.Account, p params) int64 {
	reply := struct{ ID int64 }{}
	send(a, p).OK().Decode(&reply)
	return reply.ID
}

func toStream(to any) params {
	return params{"type": "stream", "to": to, "topic": "valve 3", "content": "it leaks"}
}

func toPeople(to any) params { return params{"type": "private", "to": to, "content": "it leaks"} }

// with returns p with another value for a parameter; nil removes the parameter.
func with(p params, name string, value any) params {
	changed := maps.Clone(p)
	if value == nil {
		delete(changed, name)
	} else {
		changed[name] = value
	}
	return changed
}

func sorted(list []int64) []int64 {
	slices.Sort(list)
	return list
}

func ids(accounts ...servicetest.Account) []int64 {
	return sorted(servicetest.IDs(accounts...))
}

// messagesOf registers for message events only.
func messagesOf(a servicetest.Account, more params) *servicetest.Queue {
	request := params{"event_types": []string{"message"}, "fetch_event_types": []string{}}
	maps.Copy(request, more)
	return a.Register(request)
}

// before returns the messages that a queue gets before a message that it must get.
func (w *world) before(q *servicetest.Queue, last int64) []servicetest.Event {
	w.T.Helper()
	events := []servicetest.Event{}
	for {
		for _, e := range q.Poll() {
			if e.Type != "message" {
				continue
			}
			if e.Message["id"] == float64(last) {
				return events
			}
			events = append(events, e)
		}
	}
}

// draftOfBot returns a bot without an owner.
func draftOfBot(name string) user.Draft {
	return user.Draft{FullName: name, Role: actor.Member, Bot: actor.GenericBot}
}
