package outgoing_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/remote"
	"chatserver.dev/services/servicetest"
)

func TestMention(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{"content": "I am here, @**Bob**"}`))
	bot := w.bot(1)
	message := w.bob.SendStream("hall", "calls", "Hello @**Echo**, <b>")
	if diff := cmp.Diff([]string{"calls|I am here, @**Bob**"}, w.said(bot, 1)); diff != "" {
		t.Error(diff)
	}
	w.bob.SendStream("hall", "calls", "nobody, @_**Echo**") // a silent mention doesn't call the bot
	w.bob.SendStream("hall", "calls", "`@**Echo**`")
	w.done()
	made := w.made()
	if len(made) != 1 {
		t.Fatalf("%d calls", len(made))
	}
	got := struct {
		Data    string         `json:"data"`
		Token   string         `json:"token"`
		Trigger string         `json:"trigger"`
		Email   string         `json:"bot_email"`
		Message map[string]any `json:"message"`
	}{}
	if err := json.Unmarshal([]byte(made[0].body), &got); err != nil {
		t.Fatal(err)
	}
	token := storetest.Values[string](w.sql, "select token from bot_services")[0]
	if got.Data != "Hello @**Echo**, <b>" || got.Token != token || got.Trigger != "mention" || got.Email != "Echo-bot@chat.example" ||
		made[0].header.Get("Content-Type") != "application/json" || !strings.HasPrefix(made[0].header.Get("User-Agent"), "ChatserverOutgoingWebhook/") {
		t.Errorf("%+v", made[0])
	}
	m := got.Message
	if m["id"] != float64(message) || m["content"] != "Hello @**Echo**, <b>" || m["content_type"] != "text/x-markdown" || m["subject"] != "calls" ||
		m["display_recipient"] != "hall" || m["sender_id"] != float64(w.bob.ID) || !strings.Contains(m["rendered_content"].(string), `data-user-id="`+strconv.FormatInt(bot, 10)) {
		t.Errorf("message %v", m)
	}
	for _, name := range []string{"timestamp", "recipient_id", "stream_id", "sender_email", "avatar_url", "reactions", "submessages", "topic_links", "client", "is_me_message"} {
		if _, ok := m[name]; !ok {
			t.Errorf("the message has no %s", name)
		}
	}
	if _, ok := m["flags"]; ok {
		t.Error("the message has flags")
	}
}

func TestPrivateMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, `{"response_string": "old", "content": "new"}`)
	})
	bot := w.bot(1)
	w.private(w.bob, "alone", bot)
	w.said(bot, 1)
	w.private(w.bob, "together", bot, int64(w.ann.ID))
	if diff := cmp.Diff([]string{"|old", "|old"}, w.said(bot, 2)); diff != "" {
		t.Error(diff)
	}
	// Messages of bots don't call bots, and a bot isn't called for conversations without it.
	robot := w.Bot("Robot", actor.GenericBot, w.ann)
	w.private(robot, "from a bot", bot)
	robot.SendStream("hall", "calls", "@**Echo**")
	w.private(w.bob, "elsewhere", int64(w.ann.ID))
	w.done()
	if made := w.made(); len(made) != 2 || !strings.Contains(made[1].body, `"trigger":"private_message"`) {
		t.Errorf("calls %v", made)
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	texts := []string{`{"response_not_required": true, "content": "x"}`, `{}`, `{"content": "  "}`, `{"content": null}`, ""}
	next := make(chan string, len(texts))
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {
		text := <-next
		if text == "" {
			rw.WriteHeader(http.StatusNoContent)
		}
		_, _ = io.WriteString(rw, text)
	})
	bot := w.bot(1)
	for _, text := range texts {
		next <- text
		w.private(w.bob, "hello", bot)
	}
	w.done()
	if said := w.said(bot, 0); len(said) != 0 || len(w.made()) != len(texts) {
		t.Errorf("the bot said %q", said)
	}
}

// Bots whose programs aren't exact are heard: a number is a text, and a mark of the encoding may come first.
func TestInexactAnswers(t *testing.T) {
	t.Parallel()
	texts := []string{`{"content": 42}`, `{"content": true}`, "\xef\xbb\xbf{\"content\": \"marked\"}", `{"response_string": null, "content": 1.50}`}
	next := make(chan string, len(texts))
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, <-next) })
	bot := w.bot(1)
	for _, text := range texts {
		next <- text
		w.private(w.bob, "hello", bot)
	}
	if diff := cmp.Diff([]string{"|42", "|true", "|marked", "|1.50"}, w.said(bot, len(texts))); diff != "" {
		t.Error(diff)
	}
}

func TestSlack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{"text": "as Slack", "content": "no"}`))
	bot := w.bot(2)
	w.bob.SendStream("hall", "calls", "Hello @**Echo**")
	w.said(bot, 1)
	w.private(w.bob, "alone", bot)
	want := []string{"calls|as Slack", "|Failure! Slack outgoing webhooks don't support private messages."}
	if diff := cmp.Diff(want, w.said(bot, 2)); diff != "" {
		t.Error(diff)
	}
	made := w.made()
	if len(made) != 1 || made[0].header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		t.Fatalf("calls %v", made)
	}
	for _, pair := range []string{"text=Hello+%40%2A%2AEcho%2A%2A", "channel_name=hall", "user_name=Bob", "team_domain=chat.example", "trigger_word=mention", "service_id=" + strconv.FormatInt(bot, 10), "user_id=" + w.bob.ID.String()} {
		if !strings.Contains("&"+made[0].body+"&", "&"+pair+"&") {
			t.Errorf("%s isn't in %s", pair, made[0].body)
		}
	}
}

// A bot's answer may have a form, as an object or as text, but not with Slack's interface.
func TestWidget(t *testing.T) {
	t.Parallel()
	const form = `{"widget_type":"zform","extra_data":{"type":"choices","heading":"Tea?","choices":[{"short_name":"Y","long_name":"Yes","reply":"yes"}]}}`
	for what, c := range map[string]struct {
		answer string
		kind   int
		forms  int
	}{
		"an object":    {`{"content": "Tea?", "widget_content": ` + form + `}`, 1, 1},
		"text":         {`{"response_string": "Tea?", "widget_content": ` + strconv.Quote(form) + `}`, 1, 1},
		"null":         {`{"content": "Tea?", "widget_content": null}`, 1, 0},
		"Slack's":      {`{"text": "Tea?", "widget_content": ` + form + `}`, 2, 0},
		"not required": {`{"content": "Tea?", "widget_content": ` + form + `, "response_not_required": true}`, 1, -1},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, answers(c.answer))
			bot := w.bot(c.kind)
			w.bob.SendStream("hall", "calls", "Hello @**Echo**")
			if c.forms < 0 {
				w.done()
				if said := w.said(bot, 0); len(said) != 0 {
					t.Errorf("it says %q", said)
				}
				return
			}
			w.said(bot, 1)
			forms := storetest.Values[string](w.sql, "select content from submessages where sender_id = $1", bot)
			if len(forms) != c.forms || c.forms == 1 && !strings.Contains(forms[0], `"heading":"Tea?"`) {
				t.Errorf("forms %q", forms)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		answer  http.HandlerFunc
		said    string
		details []string
		calls   int
	}{
		"no JSON": {answers("<html> ``` @**all**"), "Failure! Invalid JSON in response", []string{"isn't a JSON object", "<html> ''' @**all**"}, 1},
		"a list":  {answers("[]"), "Failure! Invalid JSON in response", nil, 1},
		"null":    {answers("null"), "Failure! Invalid JSON in response", nil, 1},
		"no text": {answers(`{"content": {"text": "x"}}`), "Failure! Invalid JSON in response", []string{"with a text", `{"text": "x"}`}, 1},
		"much":    {answers(`{"content": "` + strings.Repeat("x", 300<<10) + `"}`), "Failure! Invalid JSON in response", nil, 1},
		"no form": {answers(`{"content": "x", "widget_content": {"widget_type": "nope", "extra_data": {}}}`), "Failure! Invalid widget_content in response", []string{"Widgets: unknown widget type: nope", "nope"}, 1},
		"no HTML": {answers(`{"content": "` + strings.Repeat(":fire: ", 1400) + `"}`), "Failure! Unable to render the response", []string{"can't be rendered"}, 1},
		"404":     {http.NotFound, "Failure! Third party responded with 404", []string{"[A message](/#narrow/stream/", "/topic/calls/near/", "status code *404*", "404 page not found"}, 1},
		"redirect": {
			func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, "/elsewhere", http.StatusTemporaryRedirect)
			},
			"Failure! Third party responded with 307", nil, 1,
		},
		"500": {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) }, "Failure! Bot is unavailable", []string{"status code *500*"}, 3},
		"broken": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "Failure! Bot is unavailable",
			[]string{"A connection error occurred."},
			3,
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.answer)
			bot := w.bot(1)
			w.bob.SendStream("hall", "calls", "Hello @**Echo**")
			if diff := cmp.Diff([]string{"calls|" + c.said}, w.said(bot, 1)); diff != "" {
				t.Error(diff)
			}
			notice := w.noticed(1)[0]
			for _, part := range append(c.details, "triggered an outgoing webhook.") {
				if !strings.Contains(notice, part) {
					t.Errorf("%q isn't in %q", part, notice)
				}
			}
			if made := w.made(); len(made) != c.calls {
				t.Errorf("%d calls", len(made))
			}
		})
	}
}

// A bot can't call addresses in the server's own network.
func TestForbiddenAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{"content": "inside"}`))
	w.stop()
	w.permit = remote.Public()
	w.start()
	bot := w.bot(1)
	w.private(w.bob, "hello", bot)
	if diff := cmp.Diff([]string{"|Failure! Bot is unavailable"}, w.said(bot, 1)); diff != "" || len(w.made()) != 0 {
		t.Errorf("%d calls; %s", len(w.made()), diff)
	}
	if notice := w.noticed(1)[0]; !strings.Contains(notice, "doesn't connect to the address") {
		t.Error(notice)
	}
}

// A message in a private stream isn't sent to a bot if neither the bot nor its owner is subscribed. Deleted messages
// aren't sent.
func TestWhoIsCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{"content": "here"}`))
	bot := w.bot(1)
	den := func(by servicetest.Account, name string) {
		by.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": name}}, "invite_only": true}).OK()
	}
	den(w.bob, "den")
	w.bob.SendStream("den", "calls", "@**Echo**")
	w.done()
	w.stop()
	gone := w.bob.SendStream("hall", "calls", "@**Echo**")
	w.bob.Do(http.MethodDelete, "/messages/"+strconv.FormatInt(gone, 10), nil)
	w.sql.Exec("delete from messages where message_id = $1", gone)
	w.start()
	w.done()
	if made := w.made(); len(made) != 0 {
		t.Fatalf("calls %v", made)
	}
	w.bob.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"den"}]`, "principals": []int64{int64(w.ann.ID)}}).OK()
	w.bob.SendStream("den", "calls", "@**Echo** again")
	w.said(bot, 1)
}

// Calls outlive processes, each is answered once, and a bot gets one call at a time.
func TestCallsOutliveWorkers(t *testing.T) {
	t.Parallel()
	reached, ends := make(chan bool, 100), make(chan bool)
	at, limit := 0, 0
	mutex := sync.Mutex{}
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		at++
		limit = max(limit, at)
		mutex.Unlock()
		reached <- true
		select {
		case <-ends:
		case <-r.Context().Done():
		}
		mutex.Lock()
		at--
		mutex.Unlock()
		_, _ = io.WriteString(rw, `{"content": "done"}`)
	})
	bot := w.bot(1)
	for _, text := range []string{"one", "two", "three"} {
		w.private(w.bob, text, bot)
	}
	<-reached
	w.stop() // while it calls
	if left := w.left(); left != 3 {
		t.Fatalf("%d calls are left", left)
	}
	close(ends)
	w.start()
	if said := w.said(bot, 3); len(said) != 3 || limit != 1 {
		t.Errorf("the bot said %q, %d calls were made at a time", said, limit)
	}
	order := []string(nil)
	for _, c := range w.made()[1:] {
		got := struct {
			Data string `json:"data"`
		}{}
		if err := json.Unmarshal([]byte(c.body), &got); err != nil {
			t.Fatal(err)
		}
		order = append(order, got.Data)
	}
	if diff := cmp.Diff([]string{"one", "two", "three"}, order); diff != "" {
		t.Error(diff)
	}
}

// The longest waiting calls of an organization don't hide those of others.
func TestDueOfOrganizations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{}`))
	w.stop()
	abroad := w.NewOrg("other")
	w.sql.Exec(`insert into webhook_calls (org_id, user_id, message_id, cause, due_at)
		select $1, 1000 + i, 1, 'mention', now() - interval '1 hour' from generate_series(1, 10) i`, w.Org.ID)
	w.sql.Exec(`insert into webhook_calls (org_id, user_id, message_id, cause) values ($1, 2000, 1, 'mention')`, abroad.ID)
	for limit, want := range map[int][]id.Org{2: {w.Org.ID, abroad.ID}, 100: {w.Org.ID, abroad.ID, w.Org.ID, w.Org.ID}} {
		found, err := w.Calls.Due(t.Context(), 3, limit)
		orgs := []id.Org(nil)
		for _, d := range found {
			orgs = append(orgs, d.Org)
		}
		if err != nil || !slices.Equal(orgs, want) {
			t.Errorf("of %d: %v, %v", limit, orgs, err)
		}
	}
}

// A process doesn't report the failure of a call that another one has taken over.
func TestFailureOfLostCall(t *testing.T) {
	t.Parallel()
	reached, lost := make(chan bool, 1), make(chan bool)
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {
		reached <- true
		<-lost
		rw.WriteHeader(http.StatusBadRequest)
	})
	w.bot(1)
	w.bob.SendStream("hall", "calls", "Hello @**Echo**")
	<-reached
	w.sql.Exec("update webhook_calls set attempts = attempts + 1, due_at = now() + interval '1 hour'")
	close(lost)
	time.Sleep(300 * time.Millisecond) // for what it might say
	if said := storetest.Values[string](w.sql, "select content from messages where content like '%webhook%'"); len(said) > 0 || w.left() != 1 {
		t.Errorf("said %q, %d calls are left", said, w.left())
	}
}

// The number of calls for a message, and of waiting calls, is limited.
func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answers(`{}`))
	w.stop()
	bot := w.bot(1)
	w.sql.Exec(`insert into webhook_calls (org_id, user_id, message_id, cause) select $1, $2, 1, 'mention' from generate_series(1, 999)`, w.Org.ID, bot)
	for range 3 {
		w.private(w.bob, "hello", bot)
	}
	if left := w.left(); left != 1000 {
		t.Errorf("%d calls of a bot", left)
	}
	w.sql.Exec(`delete from webhook_calls`)
	w.sql.Exec(`insert into webhook_calls (org_id, user_id, message_id, cause) select $1, 999999, 1, 'mention' from generate_series(1, 10000)`, w.Org.ID)
	w.private(w.bob, "hello", bot)
	if left := w.left(); left != 10_000 {
		t.Errorf("%d calls of an organization", left)
	}
	w.sql.Exec(`delete from webhook_calls`)
	mentions := []string(nil)
	for i := range 25 {
		name := "Echo " + strconv.Itoa(i)
		w.sql.Exec(`insert into users (org_id, email, full_name, bot_type, owner_id) values ($1, $2 || '@chat.example', $2, 3, $3)`, w.Org.ID, name, w.ann.ID)
		mentions = append(mentions, "@**"+name+"**")
	}
	w.bob.SendStream("hall", "calls", strings.Join(mentions, " "))
	if left := w.left(); left != 20 {
		t.Errorf("%d calls by a message", left)
	}
}
