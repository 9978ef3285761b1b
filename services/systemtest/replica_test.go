package systemtest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// TestReplica runs two processes that send large reads to a replica with a replication delay. A client that gets an
// event from one process finds its message at the other, and killing the replica causes no errors.
func TestReplica(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	servers := startServers(t, localserver.Replicated())
	settings := localserver.Replicated()
	settings["recovery_min_apply_delay"] = "10ms"
	replica, err := localserver.StartReplica(t.Context(), servers.Postgres, localserver.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := replica.Stop(); err != nil {
			t.Errorf("stop the replica: %v", err)
		}
	})
	address := "DATABASE_REPLICA_URL=" + replica.URL("postgres")

	dir, metrics := t.TempDir(), testbed.FreeAddr(t)
	one := servers.Start(t, "chatserver", "CHAT_DEMO=true", "CHAT_LOCAL_DIR="+dir, address)
	other := servers.Start(t, "api", "METRICS_ADDR="+metrics, address)
	d := readDemo(t, dir)
	sender, reader := d.Accounts[3], d.Accounts[2]
	queue := register(t, one, reader)
	measured := func(line string) { eventually(t, "http://"+metrics+"/metrics", `200 (?s).*\n`+line+`\n`) }
	round := func(text string) {
		ask(t.Context(), t, http.MethodPost, one.URL()+"/api/v1/messages", sender,
			url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"hello"}, "content": {text}})
		events := poll(t.Context(), t, one, reader, queue)
		if len(events) == 0 {
			t.Fatal("no event")
		}
		last := events[len(events)-1]
		queue.last = last.ID
		page := ask(t.Context(), t, http.MethodGet, other.URL()+"/api/v1/messages?anchor=newest&num_before=5&num_after=0", reader, nil)
		messages, _ := page["messages"].([]any)
		if !slices.ContainsFunc(messages, func(m any) bool {
			message, _ := m.(map[string]any)
			return message["id"] == last.Message.ID
		}) {
			t.Errorf("%s: message %v isn't there after its event: %v", text, last.Message.ID, page)
		}
	}
	measured(`chatserver_database_replica_lag_seconds(\{[^\n]*\})? 0`)
	for n := range 20 {
		round(fmt.Sprint("late ", n))
	}
	measured(`chatserver_database_replica_reads_total\{[^\n]*outcome="replica"[^\n]*\} [1-9]\d*`)
	if n := len(storetest.Values[int](storetest.Connect(t, replica.URL("postgres")), "select pid from pg_stat_activity where usename = $1", storetest.Logins().ServiceUser)); n == 0 {
		t.Error("no service is connected to the replica")
	}
	if err := replica.Kill(); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		round(fmt.Sprint("dead ", n))
	}
	measured(`chatserver_database_replica_reads_total\{[^\n]*outcome="(?:away|failed)"[^\n]*\} [1-9]\d*`)
}
