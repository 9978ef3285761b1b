package webhook_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
	"chatserver.dev/services/webhook"
	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hooktest"
)

const payload = `{"featured_title":"Tides","featured_url":"https://tides.example/"}`

// world is a server with its integrations, a member with a bot, and a stream.
type world struct {
	*servicetest.World
	hooks      http.Handler
	owner, bot servicetest.Account
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.hooks = endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(w.DB, w.Orgs.Config(), time.Now, w.Logger), Limiter: servicetest.Unlimited{}, Logger: w.Logger, Now: time.Now, Failed: servicetest.Declared(t),
	}, webhook.Endpoints(w.Messages))
	w.owner = w.Person("Olga Owner", actor.Member)
	w.bot = w.Bot("Pier Bot", actor.IncomingWebhook, w.owner)
	w.owner.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{"subscriptions": []map[string]string{{"name": "reports"}, {"name": "77"}}}).OK()
	return w
}

// post posts to helloworld as the account. The query doesn't contain the key.
func (w *world) post(who servicetest.Account, query url.Values, body string) (status int, answer string) {
	w.T.Helper()
	return w.postTo("helloworld", who, query, body)
}

// postTo posts to an integration, with the type that curl sends by default.
func (w *world) postTo(path string, who servicetest.Account, query url.Values, body string) (status int, answer string) {
	w.T.Helper()
	query.Set("api_key", who.Key)
	r := httptest.NewRequestWithContext(w.T.Context(), http.MethodPost, "/api/v1/external/"+path+"?"+query.Encode(), strings.NewReader(body))
	r.Host = servicetest.Host
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	w.hooks.ServeHTTP(recorder, r)
	servicetest.KeepsContract(w.T, r, recorder)
	return recorder.Code, recorder.Body.String()
}

// sends posts and returns the message that the owner gets.
func (w *world) sends(query url.Values, body string) map[string]any {
	w.T.Helper()
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	if status, answer := w.post(w.bot, query, body); status != http.StatusOK || answer != `{"result":"success","msg":""}`+"\n" {
		w.T.Fatalf("%d %s", status, answer)
	}
	events := queue.Poll()
	if len(events) != 1 {
		w.T.Fatalf("%+v", events)
	}
	return events[0].Message
}

func TestMessageToStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long, longTopic := strings.Repeat("ä", 6000), strings.Repeat("ö", 61)
	for _, c := range []struct {
		query          url.Values
		body           string
		stream, topic  string
		content, after string // its beginning and end
	}{
		{url.Values{"stream": {"reports"}}, payload, "reports", "Hello World", "Hello!", ":smile:\nHave a look at **[Tides](https://tides.example/)**."},
		{url.Values{"stream": {"reports"}, "topic": {"my own"}}, payload, "reports", "my own", "Hello!", "."},
		{url.Values{"stream": {"77"}}, payload, "77", "Hello World", "Hello!", "."}, // digits are a name
		{url.Values{"stream": {"REPORTS"}}, payload, "reports", "Hello World", "Hello!", "."},
		{url.Values{"stream": {"reports"}, "topic": {longTopic}}, payload, "reports", strings.Repeat("ö", 57) + "...", "Hello!", "."},
		{
			url.Values{"stream": {"reports"}},
			`{"featured_title":"` + long + `","featured_url":""}`, "reports", "Hello World", "Hello!", "ä\n[message truncated]",
		},
	} {
		m := w.sends(c.query, c.body)
		content, _ := m["content"].(string)
		if m["display_recipient"] != c.stream || m["subject"] != c.topic || !strings.HasPrefix(content, c.content) ||
			!strings.HasSuffix(content, c.after) || len(content) > 10000 || m["sender_email"] != w.bot.RealEmail {
			t.Errorf("%v: %v", c.query, m)
		}
		if m["client"] != "ChatserverHelloWorldWebhook" {
			t.Errorf("client %v", m["client"])
		}
	}
}

// TestTextIsNoParameter shows that a text in JSON with the type of a form doesn't choose where its message goes.
func TestTextIsNoParameter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	const text = "a&stream=77&topic=forged&payload=%7B%22text%22:%22forged%22%7D&b"
	if status, answer := w.postTo("slack_incoming", w.bot, url.Values{"stream": {"reports"}, "topic": {"deploys"}}, `{"text":"`+text+`"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	m := queue.Poll()[0].Message
	if content, _ := m["content"].(string); m["display_recipient"] != "reports" || m["subject"] != "deploys" || !strings.HasPrefix(content, "a&") {
		t.Errorf("%v", m)
	}
}

// TestAsCode shows that a message whose HTML would be too large is sent as code, of whole characters.
func TestAsCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	body := `{"message":"abc` + strings.Repeat("🔥", 2498) + `"}`
	if status, answer := w.postTo("homeassistant", w.bot, url.Values{"stream": {"reports"}}, body); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	if content := queue.Poll()[0].Message["content"]; content != "```\nabc"+strings.Repeat("🔥", 2497)+"\n```" {
		t.Errorf("%s", content)
	}
}

// TestDecodeTwice shows that stream and topic may be encoded twice for the integrations whose third parties do that.
func TestDecodeTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{"subscriptions": []map[string]string{{"name": "low tide"}}}).OK()
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	issue := `{"webhookEvent":"jira:issue_deleted","issue":{"key":"OPS-3","fields":{"summary":"Disk"}},"user":{"displayName":"Ann"}}`
	for _, c := range []struct{ stream, topic, wantTopic string }{
		{"low%20tide", "100%25%20full", "100% full"}, {"low tide", "100% full", "100% full"}, {"low tide", "a%00b%FF", "a%00b%FF"},
	} {
		if status, answer := w.postTo("jira", w.bot, url.Values{"stream": {c.stream}, "topic": {c.topic}}, issue); status != http.StatusOK {
			t.Fatalf("%+v: %d %s", c, status, answer)
		}
		if events := queue.Poll(); len(events) != 1 || events[0].Message["display_recipient"] != "low tide" || events[0].Message["subject"] != c.wantTopic {
			t.Errorf("%+v: %+v", c, events)
		}
	}
}

// TestMessageToPerson shows that a message to a person goes to nobody else, and that an unknown person isn't an error.
func TestMessageToPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mate := w.Person("Mo Mate", actor.Member)
	gone := w.Person("Gil Gone", actor.Member)
	w.Person("Ada Admin", actor.Administrator).Do(http.MethodDelete, "/users/"+gone.ID.String(), nil).OK()
	queue, others := mate.Register(servicetest.Params{"event_types": []string{"message"}}), w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	build := func(person string) string {
		return `{"build":{"buildFullName":"Tides","buildNumber":"7","buildResult":"success","teamcityProperties":[
			{"name":"env.BUILD_IS_PERSONAL","value":"true"},{"name":"teamcity.build.triggeredBy.username","value":"` + person + `"}]}}`
	}
	for _, person := range []string{"nobody@a.example", "@", gone.RealEmail, mate.RealEmail} {
		if status, answer := w.postTo("teamcity", w.bot, url.Values{"stream": {"reports"}, "topic": {"builds"}}, build(person)); status != http.StatusOK {
			t.Errorf("%s: %d %s", person, status, answer)
		}
	}
	if events := queue.Poll(); len(events) != 1 || events[0].Message["type"] != "private" || !strings.Contains(events[0].Message["content"].(string), "Tides build 7") {
		t.Errorf("the person got %+v", events)
	}
	if status, answer := w.post(w.bot, url.Values{"stream": {"reports"}}, payload); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	if events := others.Poll(); len(events) != 1 || events[0].Message["subject"] != "Hello World" {
		t.Errorf("others got %+v", events)
	}
}

func TestMessageToOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.sends(url.Values{"topic": {"ignored"}}, payload)
	if m["type"] != "private" || m["sender_id"] != float64(w.bot.ID) || !strings.Contains(m["content"].(string), "Tides") {
		t.Errorf("%v", m)
	}
	orphan := w.Bot("Orphan Bot", actor.IncomingWebhook, servicetest.Account{})
	if status, answer := w.post(orphan, url.Values{}, payload); status != http.StatusBadRequest || !strings.Contains(answer, "no owner") {
		t.Errorf("a bot without owner: %d %s", status, answer)
	}
	if status, answer := w.post(orphan, url.Values{"stream": {"reports"}}, payload); status != http.StatusOK {
		t.Errorf("a bot without owner, to a stream: %d %s", status, answer)
	}
}

// TestKindsOfKeys shows that a webhook address accepts only keys of incoming webhook bots, and the other permissions
// of these bots.
func TestKindsOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, who := range map[string]servicetest.Account{
		"owner": w.Person("Oda Owner", actor.Owner), "member": w.owner, "guest": w.Person("Gus Guest", actor.Guest),
		"generic bot": w.Bot("Generic Bot", actor.GenericBot, w.owner), "outgoing webhook": w.Bot("Out Bot", actor.OutgoingWebhook, w.owner),
	} {
		// The payload isn't read, so that unauthorized callers get no information about it.
		for _, body := range []string{payload, `{`} {
			status, answer := w.post(who, url.Values{"stream": {"reports"}}, body)
			if status != http.StatusUnauthorized || !strings.Contains(answer, `"INVALID_API_KEY"`) ||
				!strings.Contains(answer, "only the API key of an incoming webhook bot") {
				t.Errorf("%s: %d %s", name, status, answer)
			}
		}
	}
	send := servicetest.Params{"type": "stream", "to": "reports", "topic": "t", "content": "by the API"}
	w.bot.Do(http.MethodPost, "/messages", send).OK()
	w.bot.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []int64{int64(w.owner.ID)}, "content": "x"}).OK()
	w.bot.Do(http.MethodGet, "/users/me", nil).Fails(http.StatusUnauthorized, "UNAUTHORIZED", "This API is not available to incoming webhook bots.")
}

// TestNotices shows the owner's notifications, and that none is repeated within a minute.
func TestNotices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path   string
		query  url.Values
		body   string
		status int
		answer string
		notice string
	}{
		"no such stream": {"helloworld", url.Values{"stream": {"nowhere"}}, payload, 200, `"result":"success"`, "#**nowhere**"},
		"no JSON":        {"helloworld", url.Values{"stream": {"reports"}}, `featured_title=x`, 400, `"INVALID_JSON"`, "not JSON"},
		"too large":      {"github", url.Values{"stream": {"reports"}}, strings.Repeat(" ", 1<<20+1), 413, `"REQUEST_TOO_LARGE"`, "larger than 1 MiB"},
		"no header":      {"github", url.Values{"stream": {"reports"}}, `{}`, 400, `"MISSING_HTTP_EVENT_HEADER"`, "`X_GITHUB_EVENT`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
			for range 2 {
				if status, answer := w.postTo(c.path, w.bot, c.query, c.body); status != c.status || !strings.Contains(answer, c.answer) {
					t.Errorf("%d %s", status, answer)
				}
			}
			// The next message after the notifications shows that there isn't a second one.
			if status, answer := w.post(w.bot, url.Values{"stream": {"reports"}}, payload); status != http.StatusOK {
				t.Fatalf("%d %s", status, answer)
			}
			got := []string{}
			for len(got) == 0 || !strings.Contains(got[len(got)-1], "Tides") {
				for _, e := range queue.Poll() {
					got = append(got, e.Message["content"].(string))
				}
			}
			if len(got) != 2 || !strings.Contains(got[0], c.notice) || !strings.Contains(got[0], w.bot.RealEmail) {
				t.Errorf("the owner got %q", got)
			}
		})
	}
}

// TestByBasic shows that a bot logs in by HTTP Basic where the address has no key.
func TestByBasic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		email, key string
		status     int
		answer     string
	}{
		"bot":            {w.bot.RealEmail, w.bot.Key, 200, `{"result":"success","msg":""}`},
		"other address":  {w.owner.RealEmail, w.bot.Key, 401, "Invalid API key"},
		"person":         {w.owner.RealEmail, w.owner.Key, 401, "This address takes only the API key of an incoming webhook bot"},
		"malformed key":  {w.bot.RealEmail, "secret", 401, "Malformed API key"},
		"key as address": {w.bot.Key, "", 401, "Malformed API key"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/external/helloworld", strings.NewReader(payload))
		r.Host = servicetest.Host
		r.SetBasicAuth(c.email, c.key)
		recorder := httptest.NewRecorder()
		w.hooks.ServeHTTP(recorder, r)
		servicetest.KeepsContract(t, r, recorder)
		if recorder.Code != c.status || !strings.Contains(recorder.Body.String(), c.answer) || (recorder.Header().Get("WWW-Authenticate") != "") != (c.status == 401) {
			t.Errorf("%s: %d %s", name, recorder.Code, recorder.Body)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner.Do(http.MethodPost, "/users/me/subscriptions",
		servicetest.Params{"subscriptions": []map[string]string{{"name": "locked"}}, "invite_only": "true"}).OK()
	admin := w.Person("Ada Admin", actor.Administrator)
	for stream, policy := range map[string]string{"admins": "2", "newcomers": "3"} {
		admin.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{
			"subscriptions": []map[string]string{{"name": stream}}, "stream_post_policy": policy, "principals": []int64{int64(w.owner.ID)},
		}).OK()
	}
	stranger := w.Bot("Stranger Bot", actor.IncomingWebhook, w.Person("Sam Stranger", actor.Member))
	for name, c := range map[string]struct {
		who    servicetest.Account
		query  url.Values
		body   string
		status int
		answer string
	}{
		"missing key":  {w.bot, url.Values{}, `{"featured_title":"x"}`, 400, `"msg":"featured_url key is missing from payload","code":"BAD_REQUEST"`},
		"wrong type":   {w.bot, url.Values{}, `{"featured_title":1,"featured_url":"x"}`, 400, `payload[\"featured_title\"] is not a string`},
		"not a dict":   {w.bot, url.Values{}, `[]`, 400, "payload is not a dict"},
		"empty topic":  {w.bot, url.Values{"stream": {"reports"}, "topic": {" "}}, payload, 400, "Topic can't be empty"},
		"empty body":   {w.bot, url.Values{}, ``, 400, "INVALID_JSON"},
		"wrong key":    {servicetest.Account{Key: strings.Repeat("x", 32)}, url.Values{}, payload, 401, `"INVALID_API_KEY"`},
		"no key":       {servicetest.Account{}, url.Values{}, payload, 401, `"INVALID_API_KEY"`},
		"private":      {stranger, url.Values{"stream": {"locked"}}, payload, 400, "Not authorized to send"},
		"owner's":      {w.bot, url.Values{"stream": {"locked"}}, payload, 200, "success"},
		"long stream":  {w.bot, url.Values{"stream": {strings.Repeat("x", 61)}}, payload, 400, "Stream name too long (limit: 60 characters)."},
		"nul stream":   {w.bot, url.Values{"stream": {"a\x00b"}}, payload, 400, "stream contains NULL (0x00) characters"},
		"admins' only": {w.bot, url.Values{"stream": {"admins"}}, payload, 400, "Only organization administrators can send to this stream."},
		"newcomers'":   {w.bot, url.Values{"stream": {"newcomers"}}, payload, 400, "Only new members can send to this stream."},
		"empty stream": {w.bot, url.Values{"stream": {" "}}, payload, 400, "Invalid stream name"},
	} {
		if status, answer := w.post(c.who, c.query, c.body); status != c.status || !strings.Contains(answer, c.answer) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
}

// TestIntegrations runs the cases of each integration, which are in its folder.
func TestIntegrations(t *testing.T) {
	t.Parallel()
	for i, name := range webhook.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hooktest.Run(t, strings.ReplaceAll(name, "_", "")+"/testdata", func(messages hook.Messages) endpoint.Endpoint { return webhook.Endpoints(messages)[i] })
		})
	}
}

// Users find each integration in the documentation and in the web client.
func TestEachIntegrationIsDescribed(t *testing.T) {
	t.Parallel()
	for file, form := range map[string]string{
		"../../docs/integrations.md":                      "\n| `%s` |",
		"../web/src/ui/administration/integrationlist.ts": "\n  %s: {",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range webhook.Names() {
			if !strings.Contains(string(text), fmt.Sprintf(form, name)) {
				t.Errorf("%s doesn't have the integration %s", file, name)
			}
		}
	}
}
