package systemtest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
)

// TestScheduledSurviveKills schedules messages and kills the processes that send them: during a transaction, and right
// after its commit, before the wake-up. Each message is sent once, and clients get one event for it.
func TestScheduledSurviveKills(t *testing.T) {
	t.Parallel()
	s := StartSystem(t)
	people := s.Organization(t, 2)
	events := s.Service("events")
	sql := storetest.Connect(t, s.DatabaseURL())
	sql.Exec("insert into streams (org_id, name) select org_id, 'hall' from organizations")
	sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select org_id, stream_id, user_id, '#fff', int8multirange(int8range(0, null)) from streams join users using (org_id)
		where name = 'hall' and bot_type is null`)
	follower := client{http: &http.Client{Timeout: time.Minute}, urls: func() []string { return []string{events.URL()} }, email: people[1].Email, key: people[1].Key}
	queue := struct {
		ID   string `json:"queue_id"`
		Last int64  `json:"last_event_id"`
	}{}
	if err := follower.call(t.Context(), http.MethodPost, "/register", url.Values{"event_types": {`["message"]`}}, &queue); err != nil {
		t.Fatal(err)
	}

	const some = 30
	sql.Exec(`insert into scheduled_messages (org_id, sender_id, stream_id, topic, content, client, reminder, deliver_at, due_at)
		select org_id, $1, stream_id, 'later', 'note ' || n, 'test', false, now(), now() + n * interval '1 microsecond'
		from streams, generate_series(1, $2::int) n where name = 'hall'`, people[0].UserID, some)
	waiting := func() int64 { return storetest.Values[int64](sql, "select count(*) from scheduled_messages")[0] }
	deadline := time.Now().Add(120 * time.Second)
	until := func(what string, so func() bool) {
		t.Helper()
		for !so() {
			if time.Now().After(deadline) {
				t.Fatalf("timeout: %s", what)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}

	sql.Exec("begin")
	sql.Exec("lock table messages in share row exclusive mode") // senders wait
	mortal := s.Service("api", "CHAT_FAILPOINTS=after-send=0.5")
	until("a process sends", func() bool {
		return storetest.Values[int64](sql, `select count(*) from pg_locks where relation = 'messages'::regclass and not granted
			and database = (select oid from pg_database where datname = current_database())`)[0] > 0
	})
	mortal.Kill()
	sql.Exec("rollback")
	until("all are sent", func() bool { return waiting() == 0 })
	if ended := s.Ended(); ended < 4 {
		t.Errorf("processes ended %d times", ended)
	}

	want := []string{}
	for n := range some {
		want = append(want, fmt.Sprintf("note %d", n+1))
	}
	if diff := cmp.Diff(want, storetest.Values[string](sql, "select content from messages where topic = 'later' order by message_id")); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	got := []string{}
	until("all events have arrived", func() bool {
		reply := struct {
			Events []struct {
				ID      int64 `json:"id"`
				Message struct {
					Content string `json:"content"`
				} `json:"message"`
			} `json:"events"`
		}{}
		params := url.Values{"queue_id": {queue.ID}, "last_event_id": {strconv.FormatInt(queue.Last, 10)}, "dont_block": {"true"}}
		if err := follower.insist(t.Context(), http.MethodGet, "/events", params, &reply); err != nil {
			t.Fatal(err)
		}
		for _, e := range reply.Events {
			queue.Last, got = e.ID, append(got, e.Message.Content)
		}
		return len(got) >= some
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages in events (-want +got):\n%s", diff)
	}
}
