package webhook_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chatserver.dev/services/servicetest"
)

// TestInvalidPayloads sends payloads without what their integration needs.
func TestInvalidPayloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct{ path, body, answer string }{
		"no topic":   {"ifttt", `{"content":"x"}`, `{"result":"error","msg":"Topic can't be empty"}`},
		"no content": {"zapier", `{"topic":"x"}`, `{"result":"error","msg":"Content can't be empty"}`},
		"no message": {"homeassistant", `{}`, `{"result":"error","msg":"Invalid payload"}`},
		"no issue":   {"jira", `{"webhookEvent":"jira:issue_created"}`, `{"result":"error","msg":"Invalid payload"}`},
		"no image":   {"harbor", `{"type":"PUSH_ARTIFACT"}`, `{"result":"error","msg":"Invalid payload"}`},
		"no build":   {"teamcity", `{"build":{}}`, `{"result":"error","msg":"Invalid payload"}`},
	} {
		if status, answer := w.postTo(c.path, w.bot, url.Values{"stream": {"reports"}}, c.body); status != http.StatusBadRequest || answer != c.answer+"\n" {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
}

// TestInvalidPayloadNotice shows that the owner is notified of a payload that a message can't be made of.
func TestInvalidPayloadNotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
	w.postTo("homeassistant", w.bot, url.Values{"stream": {"reports"}}, `{}`)
	events := queue.Poll()
	if content, _ := events[0].Message["content"].(string); len(events) != 1 || !strings.Contains(content, "homeassistant that lacks what a message is made of") {
		t.Errorf("%v", events)
	}
}

// TestZapierAccount shows that Zapier can ask for the bot's account.
func TestZapierAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	status, answer := w.postTo("zapier", w.bot, url.Values{}, `{"type":"auth"}`)
	want := fmt.Sprintf(`{"result":"success","msg":"","full_name":"Pier Bot","email":%q,"id":%d}`+"\n", w.bot.RealEmail, w.bot.ID)
	if status != http.StatusOK || answer != want {
		t.Errorf("%d %s, want %s", status, answer, want)
	}
	status, answer = w.postTo("zapier", w.bot, url.Values{"stream": {"reports"}}, `{"topic":"x","content":"y"}`)
	if status != http.StatusOK || answer != `{"result":"success","msg":""}`+"\n" {
		t.Errorf("%d %s", status, answer)
	}
}

// TestSlackAnswer shows that programs for Slack take the message as sent: Alertmanager and Grafana read ok in the answer, and
// Grafana sends again without it.
func TestSlackAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{`{"text":"The *tide* is out."}`, `{"text":""}`} {
		status, answer := w.postTo("slack_incoming", w.bot, url.Values{"stream": {"reports"}}, body)
		if status != http.StatusOK || answer != `{"result":"success","msg":"","ok":true}`+"\n" {
			t.Errorf("%d %s for %s", status, answer, body)
		}
	}
}
