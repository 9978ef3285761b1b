package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestAddSubmessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, out := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member), w.Person("Out", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	w.stream(ann, "vault", params{"invite_only": true})
	message, secret := ann.SendStream("hall", "t", "x"), ann.SendStream("vault", "t", "x")
	annHears, outHears := ann.Watch("submessage"), out.Watch("submessage")
	plain := params{"message_id": message, "msg_type": "widget", "content": `{"type":"vote"}`}
	bob.Do(http.MethodPost, "/submessage", plain).OK()
	out.Do(http.MethodPost, "/submessage", with(plain, "content", ` "<ä>" `)).OK() // isn't subscribed, but may read it
	numbers := storetest.Values[int64](w.db, "select submessage_id from submessages order by 1")
	event := func(number int64, sender string, content string) string {
		return fmt.Sprintf(`{"type":"submessage","message_id":%d,"submessage_id":%d,"sender_id":%s,"msg_type":"widget","content":%q}`, message, number, sender, content)
	}
	servicetest.Same(t, "events", []string{event(numbers[0], bob.ID.String(), `{"type":"vote"}`), event(numbers[1], out.ID.String(), ` "<ä>" `)}, annHears.Events())
	servicetest.Same(t, "of who doesn't have it", []string{}, outHears.Events())

	page := fetched{}
	ann.Do(http.MethodGet, "/messages", params{"anchor": message, "num_before": 0, "num_after": 0}).OK().Decode(&page)
	servicetest.Same(t, "of the message", any([]any{
		map[string]any{"id": float64(numbers[0]), "message_id": float64(message), "sender_id": float64(bob.ID), "msg_type": "widget", "content": `{"type":"vote"}`},
		map[string]any{"id": float64(numbers[1]), "message_id": float64(message), "sender_id": float64(out.ID), "msg_type": "widget", "content": ` "<ä>" `},
	}), page.Messages[0]["submessages"])
	edit(ann, message, params{"content": "another"}).OK()
	ann.Do(http.MethodGet, "/messages", params{"anchor": message, "num_before": 0, "num_after": 0}).OK().Decode(&page)
	servicetest.Same(t, "after an edit", 2, len(page.Messages[0]["submessages"].([]any)))

	for _, refused := range []struct {
		params    params
		code, msg string
	}{
		{with(plain, "message_id", 987654321), "BAD_REQUEST", "Invalid message(s)"},
		{with(with(plain, "message_id", secret), "content", "{"), "BAD_REQUEST", "Invalid message(s)"},
		{with(plain, "content", "{"), "", "Invalid json for submessage"},
		{with(plain, "content", ""), "", "Invalid json for submessage"},
		{with(plain, "content", `"`+strings.Repeat("x", 9_999)+`"`), "BAD_REQUEST", "The submessage is too long: it has 10001 bytes, the limit is 10000."},
		{with(plain, "msg_type", strings.Repeat("x", 101)), "BAD_REQUEST", "msg_type is too long (limit: 100 characters; sent: 101)"},
		{with(plain, "msg_type", nil), "REQUEST_VARIABLE_MISSING", "Missing 'msg_type' argument"},
	} {
		out.Do(http.MethodPost, "/submessage", refused.params).Fails(http.StatusBadRequest, refused.code, refused.msg)
	}
	servicetest.Same(t, "events of what was refused", []string{}, annHears.Events())

	// They are destroyed with their message, after a while.
	ann.Do(http.MethodDelete, at(message), nil).OK()
	w.db.Exec("update deleted_messages set deleted_at = now() - interval '8 days'")
	if err := w.Revisions.DestroyDeleted(t.Context()); err != nil {
		t.Fatal(err)
	}
	servicetest.Same(t, "destroyed", int64(0), w.number("select (select count(*) from submessages) + (select count(*) from deleted_messages)"))
}

// The number and the total size of a message's submessages are limited.
func TestTooManySubmessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	const full = "The message has too many submessages: there is no room for another one."
	for what, sql := range map[string]string{
		"number": "select $1, $2, $3, 'w', '0' from generate_series(1, 9999)",
		"bytes":  "select $1, $2, $3, 'w', repeat('0', 9999) from generate_series(1, 104)",
	} {
		message := ann.SendStream("hall", "t", what)
		w.db.Exec("insert into submessages (org_id, message_id, sender_id, msg_type, content) "+sql, w.Org.ID, message, ann.ID)
		add := params{"message_id": message, "msg_type": "widget", "content": "0" + strings.Repeat(" ", 8000)}
		ann.Do(http.MethodPost, "/submessage", add).OK()
		ann.Do(http.MethodPost, "/submessage", add).Fails(http.StatusBadRequest, "BAD_REQUEST", full)
		page := fetched{}
		ann.Do(http.MethodGet, "/messages", params{"anchor": message, "num_before": 0, "num_after": 0}).OK().Decode(&page)
		if got := len(page.Messages[0]["submessages"].([]any)); got != map[string]int{"number": 10_000, "bytes": 105}[what] {
			t.Errorf("%s: %d submessages", what, got)
		}
	}
}

// A message with a widget has its first submessage when it is sent.
func TestSendWidget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	queue := messagesOf(bob, nil)
	const form = `{"widget_type":"zform","extra_data":{"choices":[],"heading":"<ä>","type":"choices"}}`
	for _, test := range []struct {
		request params
		want    string // of the submessage
	}{
		{with(toStream("hall"), "content", "/poll Tea?\n- yes\n- \"no\""), `{"widget_type":"poll","extra_data":{"question":"Tea?","options":["yes","\"no\""]}}`},
		{with(toPeople(ids(bob)), "content", "/todo"), `{"widget_type":"todo","extra_data":null}`},
		{with(toStream("hall"), "widget_content", form), form},
		{with(with(toStream("hall"), "widget_content", form), "content", "/poll x"), form},
		{with(toStream("hall"), "content", "/polls"), ""},
	} {
		before := w.counts()
		message := sent(ann, test.request)
		want := any([]any{})
		rows := grown(before, w.counts())
		if test.want != "" {
			number := w.number("select submessage_id from submessages where message_id = $1", message)
			want = []any{map[string]any{
				"id": float64(number), "message_id": float64(message), "sender_id": float64(ann.ID), "msg_type": "widget", "content": test.want,
			}}
			servicetest.Same(t, "rows", int64(1), rows["submessages"])
		}
		got := queue.Poll()[0].Message
		servicetest.Same(t, "of the event", want, got["submessages"])
		servicetest.Same(t, "id", any(float64(message)), got["id"])
		page := fetched{}
		bob.Do(http.MethodGet, "/messages", params{"anchor": message, "num_before": 0, "num_after": 0, "apply_markdown": false}).OK().Decode(&page)
		servicetest.Same(t, "of the message", want, page.Messages[0]["submessages"])
		servicetest.Same(t, "its content", test.request["content"], page.Messages[0]["content"])
	}
	for text, msg := range map[string]string{
		"{":  "Widgets: API programmer sent invalid JSON content",
		"{}": "Widgets: widget_type is not in widget_content",
	} {
		w.unchanged(t, func() {
			send(ann, with(toStream("hall"), "widget_content", text)).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
			send(ann, with(toPeople(ids(bob)), "widget_content", text)).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
		})
	}
}
