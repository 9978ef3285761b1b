package systemtest_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
)

// TestMoveSurvivesKills moves a topic of 2,100 messages, and kills each process that does a step of it right after the
// step's commit, before the wake-up and the answer. Every message is moved, and clients get one event for each.
func TestMoveSurvivesKills(t *testing.T) {
	t.Parallel()
	s := StartSystem(t)
	people := s.Organization(t, 2)
	events := s.Service("events")
	mortal := s.Service("api", "CHAT_FAILPOINTS=after-send=1")
	sql := storetest.Connect(t, s.DatabaseURL())
	sql.Exec("insert into streams (org_id, name) select org_id, 'hall' from organizations")
	sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select org_id, stream_id, user_id, '#fff', int8multirange(int8range(0, null)) from streams join users using (org_id)
		where name = 'hall' and bot_type is null`)
	moved := storetest.Values[int64](sql, storetest.InsertMessages(`select org_id, $1::bigint as sender_id, stream_id, 'valve' as topic
		from streams, generate_series(1, 2100) where name = 'hall'`)+" returning message_id", people[0].UserID)

	at := func(p *Process) func() []string { return func() []string { return []string{p.URL()} } }
	follower := client{http: &http.Client{Timeout: time.Minute}, urls: at(events), email: people[1].Email, key: people[1].Key}
	queue := struct {
		ID   string `json:"queue_id"`
		Last int64  `json:"last_event_id"`
	}{}
	if err := follower.call(t.Context(), http.MethodPost, "/register", url.Values{"event_types": {`["update_message"]`}}, &queue); err != nil {
		t.Fatal(err)
	}
	mover := client{http: &http.Client{Timeout: time.Minute}, urls: at(mortal), email: people[0].Email, key: people[0].Key}
	path := "/messages/" + strconv.FormatInt(moved[1050], 10)
	err := mover.call(t.Context(), http.MethodPatch, path, url.Values{"topic": {"gate"}, "propagate_mode": {"change_all"}}, &struct{}{})
	if err == nil {
		t.Fatal("the process wasn't killed")
	}

	deadline := time.Now().Add(90 * time.Second)
	for storetest.Values[int64](sql, "select count(*) from changes")[0] > 0 {
		if time.Now().After(deadline) {
			t.Fatal("the move isn't done")
		}
		sql.Exec("update changes set due_at = now() - interval '1 second'") // makes the change due, since its process is dead
		time.Sleep(100 * time.Millisecond)
	}
	if ended := s.Ended(); ended < 4 {
		t.Errorf("processes ended %d times, want one for each step", ended)
	}
	if left := storetest.Values[string](sql, "select topic || ' ' || count(*) from messages where topic in ('valve', 'gate') group by topic"); !slices.Equal(left, []string{"gate 2100"}) {
		t.Errorf("topics: %q", left)
	}

	got := []int64{}
	for len(got) < len(moved) && time.Now().Before(deadline) {
		reply := struct {
			Events []struct {
				ID       int64   `json:"id"`
				Messages []int64 `json:"message_ids"`
			} `json:"events"`
		}{}
		params := url.Values{"queue_id": {queue.ID}, "last_event_id": {strconv.FormatInt(queue.Last, 10)}, "dont_block": {"true"}}
		if err := follower.insist(t.Context(), http.MethodGet, "/events", params, &reply); err != nil {
			t.Fatal(err)
		}
		for _, e := range reply.Events {
			queue.Last = e.ID
			got = append(got, e.Messages...)
		}
		time.Sleep(10 * time.Millisecond)
	}
	slices.Sort(got)
	if diff := cmp.Diff(moved, got); diff != "" {
		t.Errorf("messages in events (-want +got):\n%s", diff)
	}
}
