package webhook_test

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
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
		"unseen":     {"ifttt", `{"topic":"\u3164","content":"x"}`, `{"result":"error","msg":"Topic can't be empty"}`},
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

// TestInvalidPayloadNotice shows that the owner is notified of a payload that a message can't be made of. TeamCity's request
// succeeds all the same.
func TestInvalidPayloadNotice(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{"homeassistant": http.StatusBadRequest, "teamcity": http.StatusOK} {
		w := newWorld(t)
		queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
		if got, answer := w.postTo(path, w.bot, url.Values{"stream": {"reports"}}, `{}`); got != status {
			t.Errorf("%s: %d %s", path, got, answer)
		}
		events := queue.Poll()
		if content, _ := events[0].Message["content"].(string); len(events) != 1 || !strings.Contains(content, path+" that lacks what a message is made of") {
			t.Errorf("%s: %v", path, events)
		}
	}
}

// TestMultipartForms shows that both types of forms are read, by integrations with the payload in a field and by those whose
// payload is the form. What isn't a form is refused.
func TestMultipartForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	post := func(path, kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/external/"+path+"?stream=reports&api_key="+w.bot.Key, strings.NewReader(body))
		r.Host = servicetest.Host
		r.Header.Set("Content-Type", kind)
		recorder := httptest.NewRecorder()
		w.hooks.ServeHTTP(recorder, r)
		servicetest.KeepsContract(t, r, recorder)
		return recorder
	}
	for path, fields := range map[string]map[string]string{
		"slack_incoming": {"payload": `{"text":"high water"}`},
		"zapier":         {"topic": "tides", "content": "high water"},
	} {
		queue := w.owner.Register(servicetest.Params{"event_types": []string{"message"}})
		body := strings.Builder{}
		form := multipart.NewWriter(&body)
		for name, value := range fields {
			if err := form.WriteField(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		if answer := post(path, form.FormDataContentType(), body.String()); answer.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
		}
		if events := queue.Poll(); len(events) != 1 || events[0].Message["content"] != "<p>high water</p>" && events[0].Message["content"] != "high water" {
			t.Errorf("%s: %v", path, events)
		}
		for _, kind := range []string{"multipart/form-data", "multipart/form-data; boundary=another"} {
			if answer := post(path, kind, body.String()); answer.Code != http.StatusBadRequest {
				t.Errorf("%s, %s: %d %s", path, kind, answer.Code, answer.Body)
			}
		}
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
