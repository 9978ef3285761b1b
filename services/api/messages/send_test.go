package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// The checks of rest-api.md, section 2.2.2, in their order: a request with every mistake is corrected step by step.
func TestSendChecksInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "vault", params{"invite_only": true})
	vault := ann.StreamID("vault")

	type step struct {
		code, msg string
		name      string // of the parameter to correct
		value     any    // nil: remove it
	}
	walk := func(t *testing.T, start params, steps []step) {
		t.Helper()
		request := start
		for _, s := range steps {
			w.unchanged(t, func() { send(bob, request).Fails(400, s.code, s.msg) })
			request = with(request, s.name, s.value)
		}
		send(bob, request).OK()
	}
	t.Run("stream", func(t *testing.T) {
		walk(t, params{
			"to": "{}", "topic": "a", "subject": "b", "forged": "yes", "sender": "x@chat.example", "delivery_type": "send_later",
			"realm_str": "elsewhere", "queue_id": "q",
		}, []step{
			{"REQUEST_VARIABLE_MISSING", "Missing 'type' argument", "type", "stranger"},
			{"REQUEST_VARIABLE_MISSING", "Missing 'content' argument", "content", " \u00a0\n"},
			{"REQUEST_CONFUSING_VAR", "Can't decide between 'topic' and 'subject' arguments", "subject", nil},
			{"REQUEST_VARIABLE_MISSING", "Missing 'local_id' argument", "local_id", "17"},
			{"BAD_REQUEST", "Invalid data type for recipients", "type", "stream"},
			{"BAD_REQUEST", "Invalid data type for stream", "to", " "},
			{"", "User not authorized for this query", "forged", nil},
			{"", "User not authorized for this query", "realm_str", ""},
			{"", "Invalid mirrored message", "sender", nil},
			{"", "Missing deliver_at in a request for delayed message delivery", "delivery_type", "remind"},
			{"", "Missing deliver_at in a request for delayed message delivery", "deliver_at", "soon"},
			{"", "Invalid time format", "tz_guess", "Mars/Base"},
			{"BAD_REQUEST", "Invalid timezone", "tz_guess", "Europe/Berlin"},
			{"", "Invalid time format", "deliver_at", "2020-08-01 18:00"},
			{"", "Time must be in the future.", "deliver_at", "2120-08-01 18:00"},
			{"BAD_REQUEST", "Message must not be empty", "topic", nil},
			{"BAD_REQUEST", "Missing topic", "topic", " \t"},
			{"BAD_REQUEST", "Topic can't be empty", "topic", "\u3164 \u200b"},
			{"BAD_REQUEST", "Topic can't be empty", "topic", "x\x00"},
			{"BAD_REQUEST", "Topic must not contain null bytes", "topic", strings.Repeat("é", 61)},
			{"BAD_REQUEST", "Topic is too long: it has 61 characters, the limit is 60", "topic", strings.Repeat("é", 60)},
			{"BAD_REQUEST", "Message must not be empty", "content", "nul\x00"},
			{"BAD_REQUEST", "Message must not contain null bytes", "content", strings.Repeat("é", 5000) + "x"},
			{"BAD_REQUEST", "Message is too long: it has 10001 bytes, the limit is 10000", "content", strings.Repeat("é", 5000) + " \n"},
			{"BAD_REQUEST", "Invalid stream name ' '", "to", strings.Repeat("é", 61)},
			{"BAD_REQUEST", "Stream name too long (limit: 60 characters).", "to", "vau\x00lt"},
			{"BAD_REQUEST", "Stream name 'vau\x00lt' contains NULL (0x00) characters.", "to", "vaults"},
			{"STREAM_DOES_NOT_EXIST", "Stream 'vaults' does not exist", "to", "vault"},
			{"BAD_REQUEST", "Not authorized to send to stream 'vault'", "to", vault},
			{"BAD_REQUEST", fmt.Sprintf("Not authorized to send to stream '%d'", vault), "to", "hall"}, // without its name
			{"STREAM_DOES_NOT_EXIST", "Stream 'hall' does not exist", "type", "private"},
			{"BAD_REQUEST", "Invalid email 'hall'", "to", "ann@chat.example"},
			{"BAD_REQUEST", "Reminders can only be set for streams.", "delivery_type", "send_later"},
		})
	})
	t.Run("private", func(t *testing.T) {
		walk(t, params{"type": "stranger", "to": "[]", "content": " ", "topic": strings.Repeat("x", 99)}, []step{
			{"BAD_REQUEST", "Invalid message type", "type", "private"},
			{"BAD_REQUEST", "Message must have recipients", "to", "[777777]"},
			{"BAD_REQUEST", "Invalid user ID 777777", "to", ids(ann)},
			{"BAD_REQUEST", "Message must not be empty", "content", strings.Repeat("x", 10001)},
			{"BAD_REQUEST", "Message is too long: it has 10001 bytes, the limit is 10000", "content", "\xff"},
			{"BAD_REQUEST", "content is not valid UTF-8", "content", "hello"},
		})
	})
	t.Run("missing stream", func(t *testing.T) {
		w.unchanged(t, func() {
			send(ann, params{"type": "stream", "content": "x"}).Fails(400, "BAD_REQUEST", "Missing stream")
		})
	})
}

// Fields of the response besides the text.
func TestSendFaultMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	got := struct {
		Stream   string
		StreamID int64  `json:"stream_id"`
		VarName  string `json:"var_name"`
	}{}
	send(ann, toStream(`<b>&"'`)).Fails(400, "STREAM_DOES_NOT_EXIST", `Stream '<b>&"'' does not exist`).Decode(&got)
	servicetest.Same(t, "stream", "&lt;b&gt;&amp;&#34;&#39;", got.Stream)
	send(ann, toStream(4711)).Fails(400, "STREAM_DOES_NOT_EXIST", "Stream with ID '4711' does not exist").Decode(&got)
	servicetest.Same(t, "stream_id", int64(4711), got.StreamID)
	send(ann, with(toStream("x"), "queue_id", "q")).
		Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'local_id' argument").Decode(&got)
	servicetest.Same(t, "var_name", "local_id", got.VarName)
}

// A text of allowed length whose HTML would be far longer is refused, and stores nothing.
func TestSendTooMuchHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.unchanged(t, func() {
		send(ann, with(toPeople(ids(ann)), "content", strings.Repeat(":+1:", 2500))).Fails(400, "BAD_REQUEST", "Unable to render message")
	})
}

// The stored data of sent messages.
func TestSendStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	hall := w.stream(ann, "hall", nil)
	for _, test := range []struct {
		request params
		want    stored
	}{
		{params{"topic": "  valve 3 ", "content": "  code\n\n \t"}, stored{&hall, nil, "valve 3", "  code", "Test"}},
		{params{"subject": "old name", "content": "x", "client": "website"}, stored{&hall, nil, "old name", "x", "website"}},
		{params{"topic": "(no topic)", "content": "x", "local_id": "alone"}, stored{&hall, nil, "(no topic)", "x", "Test"}},
		{params{"topic": "t", "content": "x", "delivery_type": "some day", "realm_str": ""}, stored{&hall, nil, "t", "x", "Test"}},
	} {
		test.request["type"], test.request["to"] = "stream", "hall"
		servicetest.Same(t, "what is stored", test.want, w.stored(sent(ann, test.request)))
	}
	private := w.stored(sent(ann, params{"type": "private", "to": ids(ann), "topic": "ignored", "content": "x"}))
	servicetest.Same(t, "the topic of a private message", "", private.Topic)
}
