package systemtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/demo"
)

// ask makes a request and decodes the answer.
func ask(ctx context.Context, t *testing.T, method, address string, who demo.Account, form url.Values) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(who.Email, who.APIKey)
	return answerTo(t, request)
}

func answerTo(t *testing.T, request *http.Request) map[string]any {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", request.Method, request.URL, err)
		return nil
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	answer := map[string]any{}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Errorf("%s %s: %v in %s", request.Method, request.URL, err, raw)
	}
	return answer
}

func readDemo(t *testing.T, dir string) demo.Demo {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := demo.Demo{}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLocalRun tests a trial of the server: the first start, a message that arrives, a webhook, Ctrl-C with a waiting
// poll, and a second start.
func TestLocalRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	metrics := testbed.FreeAddr(t)
	p := NewProcess(t, "chatserver", "CHAT_LOCAL_DIR="+dir, "METRICS_ADDR="+metrics)
	p.Start()
	first := readDemo(t, dir)
	roles := []string{}
	for _, a := range first.Accounts {
		roles = append(roles, a.Role)
	}
	if diff := cmp.Diff([]string{"owner", "administrator", "member", "member", "member", "guest"}, roles); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if len(first.Bots) != 2 || first.Bots[1].Type != "incoming_webhook" || first.Bots[1].OwnerID != first.Accounts[3].UserID {
		t.Errorf("bots %+v", first.Bots)
	}
	if len(first.Streams) != 7 || !strings.HasSuffix(first.BaseURL, p.URL()[strings.LastIndex(p.URL(), ":"):]) {
		t.Errorf("streams %+v at %s", first.Streams, first.BaseURL)
	}
	for _, want := range []string{first.Accounts[0].APIKey, "/api/v1/messages -d type=stream", "/external/helloworld?api_key=" + first.Bots[1].APIKey} {
		if !strings.Contains(p.LogWhen(func(log string) bool { return strings.Contains(log, want) }), want) {
			t.Errorf("%q isn't printed", want)
		}
	}
	eventually(t, p.URL()+"/api/docs", `200 (?s).*api-reference`)

	reader, sender := first.Accounts[2], first.Accounts[3]
	if answer := ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/dev_fetch_api_key", demo.Account{}, url.Values{"username": {reader.Email}}); answer["email"] != reader.Email {
		t.Errorf("without a password: %v", answer)
	}
	queue := register(t, p, reader)
	sent := ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/messages", sender,
		url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"hello"}, "content": {"Hello from a test"}})
	events := poll(t.Context(), t, p, reader, queue)
	if len(events) != 1 || events[0].Message.Content != "Hello from a test" || events[0].Message.ID != sent["id"] {
		t.Fatalf("sent %v, got %+v", sent, events)
	}
	queue.last = events[0].ID
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		p.URL()+"/api/v1/external/helloworld?stream=general&api_key="+first.Bots[1].APIKey,
		strings.NewReader(`{"featured_title":"Tides","featured_url":"https://tides.example/"}`))
	if err != nil {
		t.Fatal(err)
	}
	if answer := answerTo(t, request); answer["result"] != "success" {
		t.Errorf("webhook: %v", answer)
	}
	events = poll(t.Context(), t, p, reader, queue)
	if len(events) != 1 || !strings.Contains(events[0].Message.Content, "**[Tides](https://tides.example/)**") ||
		events[0].Message.Client != "ChatserverHelloWorldWebhook" || events[0].Message.Subject != "Hello World" {
		t.Errorf("webhook's message: %+v", events)
	}
	queue.last = events[0].ID
	ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/users/me/subscriptions", sender,
		url.Values{"subscriptions": {`[{"name":"dry dock"}]`}, "announce": {"true"}})
	events = poll(t.Context(), t, p, reader, queue)
	if len(events) != 1 || events[0].Message.Subject != "new streams" || !strings.Contains(events[0].Message.Content, " created a new stream #**dry dock**.") {
		t.Errorf("announcement: %+v", events)
	}
	queue.last = events[0].ID

	answered := make(chan []pollEvent)
	measured := func(line string) { eventually(t, "http://"+metrics+"/metrics", `200 (?s).*\n`+line+`\n`) }
	wait := func() {
		go func() { answered <- poll(t.Context(), t, p, reader, queue) }()
		measured(`chatserver_polls_waiting(\{[^\n]*\})? 1`)
	}
	wait()
	ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/messages", first.Accounts[0],
		url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"hello"}, "content": {"Wake up"}})
	if events = <-answered; len(events) != 1 || events[0].Message.Content != "Wake up" {
		t.Fatalf("a poll that waited got %+v", events)
	}
	queue.last = events[0].ID
	owner := first.Accounts[0]
	if renewed := ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/users/me/api_key/regenerate", owner, nil); renewed["api_key"] == nil {
		t.Errorf("replacing a key: %v", renewed)
	}
	measured(`chatserver_wakeup_duration_seconds_count(\{[^\n]*\})? [1-9]`)
	measured(`chatserver_log_lag_seconds\{[^\n]*shard="\d+"[^\n]*\} 0`)
	measured(`chatserver_database_oldest_transaction_age_seconds(\{[^\n]*\})? 0`)
	measured(`db_client_connection_count\{[^\n]*pool_name="service"[^\n]*state="idle"[^\n]*\} [1-9]\d*`)
	measured(`chatserver_database_connections_refused_total\{[^\n]*pool_name="service"[^\n]*\} 0`)
	measured(`db_client_connection_max\{[^\n]*pool_name="everywhere"[^\n]*\} 4`)
	wait()
	p.Stop()
	if events := <-answered; len(events) != 1 || events[0].Type != "heartbeat" {
		t.Errorf("a poll that waited when the server ended got %+v", events)
	}

	p.Start()
	first.Accounts[0].APIKey = "" // it was replaced
	if diff := cmp.Diff(first, readDemo(t, dir)); diff != "" {
		t.Errorf("second start (-first +second):\n%s", diff)
	}
	const again = "KEY (it was replaced)"
	if !strings.Contains(p.LogWhen(func(log string) bool { return strings.Contains(log, again) }), again) {
		t.Errorf("%q isn't printed", again)
	}
	if me := ask(t.Context(), t, http.MethodGet, p.URL()+"/api/v1/users/me", reader, nil); me["user_id"] != float64(reader.UserID) {
		t.Errorf("after the second start: %v", me)
	}

	p.Stop()
	if err := os.Remove(filepath.Join(dir, "demo.json")); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "CHAT_ADDR="+p.addr[strings.LastIndex(p.addr, ":"):]) // which other machines reach
	p.Start()
	renewed := readDemo(t, dir)
	if answer := ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/dev_fetch_api_key", demo.Account{}, url.Values{"username": {reader.Email}}); answer["code"] != "NOT_FOUND" {
		t.Errorf("other machines sign in without a password: %v", answer)
	}
	eventually(t, p.URL()+"/mailbox", `404 `)
	if want := "nobody can sign in without a password, since other machines can connect to CHAT_ADDR"; !strings.Contains(p.Log(), want) {
		t.Errorf("%q isn't printed", want)
	}
	if renewed.Accounts[2].APIKey == reader.APIKey || renewed.Accounts[2].UserID != reader.UserID {
		t.Errorf("without the file: %+v, before %+v", renewed.Accounts[2], reader)
	}
	if me := ask(t.Context(), t, http.MethodGet, p.URL()+"/api/v1/users/me", renewed.Accounts[2], nil); me["user_id"] != float64(reader.UserID) {
		t.Errorf("with a renewed key: %v", me)
	}
	p.Stop() // its own servers, too, before their directory is removed
}

type eventQueue struct {
	id   string
	last int64
}

type pollEvent struct {
	ID      int64  `json:"id"`
	Type    string `json:"type"`
	Message struct {
		ID      any    `json:"id"`
		Content string `json:"content"`
		Client  string `json:"client"`
		Subject string `json:"subject"`
	} `json:"message"`
}

func register(t *testing.T, p *Process, who demo.Account) eventQueue {
	t.Helper()
	answer := ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/register", who, url.Values{"event_types": {`["message"]`}})
	name, _ := answer["queue_id"].(string)
	last, _ := answer["last_event_id"].(float64)
	if name == "" {
		t.Fatalf("register: %v", answer)
	}
	return eventQueue{name, int64(last)}
}

func poll(ctx context.Context, t *testing.T, p *Process, who demo.Account, q eventQueue) []pollEvent {
	t.Helper()
	query := url.Values{"queue_id": {q.id}, "last_event_id": {strconv.FormatInt(q.last, 10)}}
	// A poll may end without events, so that its caller is authenticated again.
	for deadline := time.Now().Add(time.Minute); ; {
		answer := ask(ctx, t, http.MethodGet, p.URL()+"/api/v1/events?"+query.Encode(), who, nil)
		raw, err := json.Marshal(answer["events"])
		if err != nil {
			t.Error(err)
		}
		events := []pollEvent{}
		if err := json.Unmarshal(raw, &events); err != nil {
			t.Errorf("poll: %v in %v", err, answer)
		}
		if len(events) > 0 || t.Failed() || ctx.Err() != nil || time.Now().After(deadline) {
			return events
		}
	}
}

// eventually waits until an address answers with a status and a body that match a pattern.
func eventually(t *testing.T, url, want string) {
	t.Helper()
	pattern := regexp.MustCompile("^" + want)
	testbed.Until(t, url+" has "+want, func() bool {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(response.Body)
		response.Body.Close()
		return pattern.MatchString(fmt.Sprintf("%d %s", response.StatusCode, raw))
	})
}

// TestServices runs each service in its own process, as in a cluster.
func TestServices(t *testing.T) {
	t.Parallel()
	servers := StartServers(t)
	dir := t.TempDir()
	seeder := servers.Start(t, "chatserver", "CHAT_DEMO=true", "CHAT_LOCAL_DIR="+dir, "EXTERNAL_HOST=chat.localhost")
	d := readDemo(t, dir)
	// Signing in without a password isn't possible, even with the demo, if the database isn't the command's own.
	if answer := ask(t.Context(), t, http.MethodPost, seeder.URL()+"/api/v1/dev_fetch_api_key", demo.Account{}, url.Values{"username": {d.Accounts[2].Email}}); answer["code"] != "NOT_FOUND" {
		t.Errorf("without a password: %v", answer)
	}
	seeder.Stop()

	// Each service answers for any host that isn't below the external one.
	api, events := servers.Start(t, "api"), servers.Start(t, "events", "LONG_POLLS=nethttp") // its polls wait as in no other of these tests
	hook := servers.Start(t, "webhook", "METRICS_ADDR=127.0.0.1:0")
	queue := register(t, events, d.Accounts[2])
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		hook.URL()+"/api/v1/external/helloworld?api_key="+d.Bots[1].APIKey+"&stream=general",
		strings.NewReader(`{"featured_title":"Tides","featured_url":"https://tides.example/"}`))
	if err != nil {
		t.Fatal(err)
	}
	if answer := answerTo(t, request); answer["result"] != "success" {
		t.Errorf("webhook: %v", answer)
	}
	if got := poll(t.Context(), t, events, d.Accounts[2], queue); len(got) != 1 || got[0].Message.Subject != "Hello World" {
		t.Errorf("events: %+v", got)
	}
	if answer := ask(t.Context(), t, http.MethodGet, api.URL()+"/api/v1/events", d.Accounts[2], nil); answer["code"] != "NOT_FOUND" {
		t.Errorf("api has no events: %v", answer)
	}
	if answer := ask(t.Context(), t, http.MethodGet, api.URL()+"/api/v1/streams", d.Accounts[2], nil); answer["result"] != "success" {
		t.Errorf("streams: %v", answer)
	}
	eventually(t, api.URL()+"/api/docs", `200 (?s).*api-reference`)
	eventually(t, api.URL()+"/api/openapi.json", `200 (?s).*"openapi": "3.1.0"`)
	eventually(t, events.URL()+"/api/docs", `404 .*NOT_FOUND`)

	if err := servers.Redis.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, api.URL()+"/readyz", `503 (?s).*redis`)
	if err := servers.Redis.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := api.WaitReady(30 * time.Second); err != nil {
		t.Errorf("after Redis came back: %v", err)
	}
	events.Kill()
	if err := events.Wait(); err == nil {
		t.Error("a killed process ended in order")
	}
}

// TestStartFails tests the errors of wrong configurations.
func TestStartFails(t *testing.T) {
	t.Parallel()
	taken := NewProcess(t, "chatserver", "CHAT_LOCAL_DIR="+t.TempDir())
	taken.Start()
	t.Cleanup(taken.Stop)
	address := strings.TrimPrefix(taken.URL(), "http://")
	for name, c := range map[string]struct {
		env  []string
		args []string
		want string
	}{
		"port taken":    {env: []string{"CHAT_ADDR=" + address}, want: "choose another address by CHAT_ADDR"},
		"bad value":     {env: []string{"RATE_LIMIT_PER_USER=12"}, want: `RATE_LIMIT_PER_USER: "12" can't be read: a rate limit is a number of requests`},
		"bad level":     {env: []string{"LOG_LEVEL=loud"}, want: `LOG_LEVEL: "loud" is not debug, info, warn or error`},
		"bad host":      {env: []string{"EXTERNAL_HOST=http://chat.example"}, want: `EXTERNAL_HOST: "http://chat.example" is not a host`},
		"no user":       {env: []string{"PGHOST=db.example", "PGDATABASE=chat"}, want: "PGUSER is missing"},
		"no nodes":      {env: []string{"REDIS_TOPOLOGY=cluster"}, want: "REDIS_TOPOLOGY is cluster, but REDIS_URL is missing"},
		"no PostgreSQL": {env: []string{"DATABASE_URL=postgres://127.0.0.1:1/chat"}, want: "PostgreSQL at 127.0.0.1:1 can't be reached"},
		"no Redis":      {env: []string{"REDIS_URL=redis://127.0.0.1:1"}, want: "Redis at 127.0.0.1:1 can't be reached"},
		"no command":    {args: []string{"fly"}, want: `unknown command "fly"`},
		"migrate":       {args: []string{"migrate"}, want: "DATABASE_URL is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := NewProcess(t, "chatserver", append([]string{"CHAT_LOCAL_DIR=" + t.TempDir()}, c.env...)...)
			p.Launch(c.args...)
			if err := p.Wait(); err == nil || !strings.Contains(p.Log(), c.want) {
				t.Errorf("%v, printed %q, want %q", err, p.Log(), c.want)
			}
		})
	}
	t.Run("unmigrated", func(t *testing.T) {
		t.Parallel()
		p := NewProcess(t, "api", "REDIS_URL=redis://127.0.0.1:1", "DATABASE_URL=postgres://localhost:1/none")
		p.Launch()
		if err := p.Wait(); err == nil || !strings.Contains(p.Log(), "PostgreSQL at localhost:1 can't be reached") {
			t.Errorf("%v, printed %q", err, p.Log())
		}
	})
}
