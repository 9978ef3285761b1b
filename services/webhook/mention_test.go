package webhook_test

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
	"chatserver.dev/services/webhook/hook"
)

// alerts returns a payload of the integration alertmanager with alerts of this name, all for one instance.
func alerts(t *testing.T, names ...string) string {
	t.Helper()
	list := []map[string]any{}
	for _, name := range names {
		list = append(list, map[string]any{"status": "firing", "labels": map[string]string{"alertname": name, "instance": "crane-1"}})
	}
	body, err := json.Marshal(map[string]any{"alerts": list})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestPayloadsMentionNobody sends all forms of mentions through the server.
func TestPayloadsMentionNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}, "apply_markdown": true})
	mentions := "@**all** @_**all** @**everyone** @**stream** @**Olga Owner** @_**Olga Owner** @*crew* #**reports**"
	stream := url.Values{"stream": {"reports"}}
	hello, err := json.Marshal(map[string]string{"featured_title": mentions, "featured_url": "https://x.example/) " + mentions})
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{"alertmanager": alerts(t, mentions, mentions), "helloworld": string(hello)} {
		if status, answer := w.postTo(path, w.bot, stream, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		for _, e := range queue.Poll() {
			content, _ := e.Message["content"].(string)
			if len(e.Flags) > 0 || strings.Contains(content, "mention") || strings.Contains(content, `class="stream"`) || !strings.Contains(html.UnescapeString(content), "@**Olga Owner**") {
				t.Errorf("%s: flags %v: %s", path, e.Flags, content)
			}
		}
	}
}

// TestIntegrationsMentionNobody shows that mentions have no effect even if an integration writes them, and that the
// same bot can mention through the API.
func TestIntegrationsMentionNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}, "apply_markdown": true})
	trial := hook.New("trial", "Trial", w.Messages)
	type params struct {
		hook.Target
		Payload struct{} `body:"json"`
	}
	hooks := endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(w.DB, w.Orgs.Config(), time.Now, w.Logger), Limiter: servicetest.Unlimited{}, Logger: w.Logger, Now: time.Now,
	}, []endpoint.Endpoint{endpoint.Hook(trial.About(), func(ctx context.Context, who actor.Actor, in params) (endpoint.Nothing, error) {
		return trial.Send(ctx, who, in.Target, hook.Message{Topic: "t", Content: hook.Format("@**all** @**Olga Owner** @_**Olga Owner** @_**all**")})
	})})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/external/trial?stream=reports&api_key="+w.bot.Key, strings.NewReader("{}"))
	r.Host = servicetest.Host
	recorder := httptest.NewRecorder()
	hooks.ServeHTTP(recorder, r)
	if recorder.Code != http.StatusOK {
		t.Fatalf("%d %s", recorder.Code, recorder.Body)
	}
	w.bot.SendStream("reports", "t", "@**Olga Owner**")
	events := queue.Poll()
	for len(events) < 2 {
		events = append(events, queue.Poll()...)
	}
	if len(events[0].Flags) > 0 || strings.Contains(events[0].Message["content"].(string), "mention") {
		t.Errorf("flags %v: %v", events[0].Flags, events[0].Message["content"])
	}
	if len(events[1].Flags) != 1 || events[1].Flags[0] != "mentioned" {
		t.Errorf("by the API: flags %v", events[1].Flags)
	}
}

// TestNoAlertIsRefused sends alerts that are hard to show.
func TestNoAlertIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	emoji := strings.Repeat("🔥", 490)
	stars := strings.Repeat("*`[", 160)
	for name, c := range map[string]struct{ body, want string }{
		"too large as HTML": {alerts(t, emoji, emoji, emoji, emoji), "```\n:alert: **FIRING**\n* 🔥"},
		"all escaped":       {alerts(t, stars, stars, stars, stars, stars, stars), "\n* … and "},
		"no words":          {alerts(t, " ", "\x01"), ":alert: **FIRING**\n* &lt;missing field: alertname&gt;\n* &lt;"},
		"nothing":           {`{"alerts":[{}]}`, ":alert: **FIRING** &lt;missing field: alertname&gt;"},
	} {
		if status, answer := w.postTo("alertmanager", w.bot, url.Values{"stream": {"reports"}}, c.body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, status, answer)
		}
		events := queue.Poll()
		if content, _ := events[0].Message["content"].(string); len(events) != 1 || !strings.Contains(content, c.want) {
			t.Errorf("%s: %d events, %.200s", name, len(events), content)
		}
	}
	for body, want := range map[string]string{`{"alerts":[]}`: `"success"`, `{"alerts":null}`: `"success"`, `{}`: "alerts key is missing from payload", `{"alerts":{}}`: `payload[\"alerts\"] is not a list`, `{"alerts":["x",null]}`: `payload[\"alerts\"] is not a list of objects`} {
		if _, answer := w.postTo("alertmanager", w.bot, url.Values{"stream": {"reports"}}, body); !strings.Contains(answer, want) {
			t.Errorf("%s: %s", body, answer)
		}
	}
	if events := queue.Pending(); len(events) > 0 {
		t.Errorf("no alert is a message: %v", events[0].Message)
	}
}
