package event_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/testbed"
)

// recorded is the event of a message in the log.
func recorded(t *testing.T, m event.Message) []byte {
	t.Helper()
	rest, err := m.EncodeAfterID()
	if err != nil {
		t.Fatal(err)
	}
	return []byte(`{"type":"message","message":{"id":88012,"timestamp":1598300377,` + rest)
}

func streamMessage() event.Message {
	return event.Message{
		MessageFields: event.MessageFields{
			Type: "stream", SenderID: 44, SenderEmail: "ines@plant.example", SenderFullName: `Ines "Odum" <i>`, SenderRealm: "plant",
			Client: "website", Subject: "valve 3 & 4", TopicLinks: []string{"https://example.org/?a&b"}, RecipientID: 7,
			DisplayRecipient: "boiler room", StreamID: 7,
		},
		Content: "@**Per** <check>\n\u2028", Rendered: `<p><span data-user-id="12">@Per</span></p>`,
		AvatarURL: "https://avatars.example/44?d=identicon&version=1", AvatarHosted: true,
	}
}

func privateMessage() event.Message {
	return event.Message{
		MessageFields: event.MessageFields{
			Type: "private", SenderID: 44, SenderEmail: "ines@plant.example", SenderFullName: "Ines", Client: "ios", RecipientID: 9,
			DisplayRecipient: []event.Person{{ID: 44, Email: "ines@plant.example", FullName: "Ines"}, {ID: 12, Email: "per@plant.example", FullName: "Per"}},
			IsMe:             true,
		},
		Content: "/me waves", Rendered: "<p>/me waves</p>", AvatarURL: "/avatar/44?v=1",
	}
}

// A list of deleted messages isn't cut to one for a client that doesn't support lists.
func TestDeletionOfSeveral(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"type":"delete_message","message_ids":[1,2]}`: "a deletion of 2 messages for a client that doesn't support lists",
		`{"type":"delete_message","message_ids":[]}`:    "a deletion of 0 messages for a client that doesn't support lists",
		`{"type":"delete_message","message_ids":1}`:     "decode deletion: json: cannot unmarshal number",
	} {
		if out, err := event.Decode([]byte(payload)).Append(nil, event.Form{}, event.Copy{ID: 1}); err == nil || !strings.HasPrefix(err.Error(), want) || len(out) > 0 {
			t.Errorf("%s: %q, %v", payload, out, err)
		}
	}
}

// The forms in which clients get recorded events: testdata/delivered.txt. It also contains the recorded form, because
// queues survive upgrades.
func TestDeliveredForms(t *testing.T) {
	t.Parallel()
	out := strings.Builder{}
	for _, test := range []struct {
		name    string
		payload []byte
	}{
		{"stream message", recorded(t, streamMessage())},
		{"private message", recorded(t, privateMessage())},
		{"another type", []byte(`{"type":"subscription","op":"peer_add","stream_id":7,"user_id":12}`)},
	} {
		out.WriteString("# " + test.name + "\n")
		e := event.Decode(test.payload)
		out.WriteString("recorded " + string(test.payload) + "\n")
		for _, form := range []event.Form{{}, {Markdown: true}, {HostedAvatar: true}, {Markdown: true, HostedAvatar: true, SlimPresence: true, BulkDeletion: true}} {
			name, err := json.Marshal(form)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []event.Copy{{ID: 3}, {ID: 31, Flags: event.Read | event.Mentioned, LocalID: `17 "<&>\`}} {
				body, err := e.Append([]byte(nil), form, c)
				if err != nil {
					t.Fatal(err)
				}
				if !json.Valid(body) {
					t.Errorf("%s isn't JSON", body)
				}
				out.WriteString(string(name) + " " + string(body) + "\n")
			}
		}
	}
	out.WriteString("# heartbeat\n" + string(event.AppendHeartbeat([]byte(nil), 31)) + "\n")
	testbed.Golden(t, "delivered.txt", []byte(out.String()))
}

// The form determines content and avatar, and nothing else.
func TestForms(t *testing.T) {
	t.Parallel()
	const url = "https://avatars.example/44?d=identicon&version=1"
	for _, test := range []struct {
		form   event.Form
		hosted bool
		want   map[string]any
	}{
		{event.Form{}, true, map[string]any{"content": "@**Per** <check>\n\u2028", "content_type": "text/x-markdown", "avatar_url": url}},
		{event.Form{HostedAvatar: true}, true, map[string]any{"content": "@**Per** <check>\n\u2028", "content_type": "text/x-markdown", "avatar_url": nil}},
		{event.Form{HostedAvatar: true}, false, map[string]any{"content": "@**Per** <check>\n\u2028", "content_type": "text/x-markdown", "avatar_url": url}},
		{event.Form{Markdown: true}, true, map[string]any{"content": `<p><span data-user-id="12">@Per</span></p>`, "content_type": "text/html", "avatar_url": url}},
	} {
		m := streamMessage()
		m.AvatarHosted = test.hosted
		body, err := event.Decode(recorded(t, m)).Append(nil, test.form, event.Copy{ID: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := struct {
			Message map[string]any `json:"message"`
		}{}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		chosen := map[string]any{}
		for _, name := range []string{"content", "content_type", "avatar_url"} {
			chosen[name] = got.Message[name]
		}
		if diff := cmp.Diff(test.want, chosen); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.form, diff)
		}
		for _, name := range []string{"raw", "rendered", "avatar_hosted", "flags"} {
			if _, ok := got.Message[name]; ok || strings.Contains(string(body), `"`+name+`":"`) {
				t.Errorf("%s is in the event", name)
			}
		}
		if reactions, ok := got.Message["reactions"].([]any); !ok || len(reactions) != 0 {
			t.Errorf("reactions are %v, want an empty list", got.Message["reactions"])
		}
	}
}

func TestFlagNames(t *testing.T) {
	t.Parallel()
	all := map[event.Flags]string{
		1: "read", 2: "starred", 4: "collapsed", 8: "mentioned", 16: "wildcard_mentioned", 512: "has_alert_word", 1024: "historical",
	}
	for bit := range 16 {
		want := []string{}
		if name := all[1<<bit]; name != "" {
			want = append(want, name)
		}
		if diff := cmp.Diff(want, event.Flags(1<<bit).Names()); diff != "" {
			t.Errorf("bit %d (-want +got):\n%s", bit, diff)
		}
	}
	want := []string{"read", "mentioned", "historical"}
	if diff := cmp.Diff(want, (event.Historical | event.Read | event.Mentioned | 2048).Names()); diff != "" {
		t.Errorf("several (-want +got):\n%s", diff)
	}
}

// A client's local id is returned unchanged, whatever it contains.
func TestLocalID(t *testing.T) {
	t.Parallel()
	e := event.Decode(recorded(t, privateMessage()))
	for _, local := range []string{"17", "17.001", `"`, `\`, "<script>&", "ä\u2028\n\x01", "😀"} {
		body, err := e.Append([]byte("["), event.Form{}, event.Copy{ID: 5, LocalID: local})
		if err != nil {
			t.Fatal(err)
		}
		got := []struct {
			ID    int64    `json:"id"`
			Flags []string `json:"flags"`
			Local *string  `json:"local_message_id"`
		}{}
		if err := json.Unmarshal(append(body, ']'), &got); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if len(got) != 1 || got[0].ID != 5 || got[0].Flags == nil || got[0].Local == nil || *got[0].Local != local {
			t.Errorf("local id %q became %s", local, body)
		}
	}
	body, err := e.Append(nil, event.Form{}, event.Copy{ID: 5})
	if err != nil || strings.Contains(string(body), "local_message_id") {
		t.Errorf("without a local id: %s, %v", body, err)
	}
}

// One event is delivered by many goroutines at once.
func TestAppendConcurrently(t *testing.T) {
	t.Parallel()
	e := event.Decode(recorded(t, streamMessage()))
	forms := sync.Map{}
	work := sync.WaitGroup{}
	for i := range 32 {
		work.Go(func() {
			form := event.Form{Markdown: i%2 == 0, HostedAvatar: i%4 < 2}
			body, err := e.Append(nil, form, event.Copy{ID: int64(i)})
			if err != nil {
				t.Error(err)
			}
			rest := strings.TrimPrefix(string(body), `{"id":`+strconv.Itoa(i))
			if before, ok := forms.LoadOrStore(form, rest); ok && before != rest {
				t.Errorf("form %+v is %s and %s", form, before, rest)
			}
		})
	}
	work.Wait()
}

func TestMessageFacts(t *testing.T) {
	t.Parallel()
	facts, ok := event.ParseMessageFacts(recorded(t, streamMessage()))
	if !ok || facts.Type != "stream" || facts.SenderEmail != "ines@plant.example" || facts.Subject != "valve 3 & 4" || facts.Stream() != "boiler room" {
		t.Errorf("facts %+v, %v", facts, ok)
	}
	facts, ok = event.ParseMessageFacts(recorded(t, privateMessage()))
	if !ok || facts.Type != "private" || facts.Stream() != "" {
		t.Errorf("facts %+v, %v", facts, ok)
	}
	for _, other := range []string{`{"type":"stream"}`, `nonsense`, ``} {
		if _, ok := event.ParseMessageFacts([]byte(other)); ok {
			t.Errorf("%q has facts of a message", other)
		}
	}
}

// Encode writes the type first and doesn't escape HTML.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		e    event.Event
		want string
	}{
		{event.PeerAdded{Stream: 7, User: 12}, `{"type":"subscription","op":"peer_add","stream_id":7,"user_id":12}`},
		{
			event.SubscriptionRemoved{User: 12, Streams: []event.StreamName{{ID: 7, Name: "a <b> & c"}}},
			`{"type":"subscription","op":"remove","subscriptions":[{"stream_id":7,"name":"a <b> & c"}]}`,
		},
		{
			event.RealmUserUpdate{Person: event.ChangedAccount{UserID: 12, DeliveryEmail: "x@y"}},
			`{"type":"realm_user","op":"update","person":{"user_id":12,"delivery_email":"x@y"}}`,
		},
		{empty{}, `{"type":"empty"}`},
	} {
		got, err := event.Encode(test.e)
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %v; want %s", got, err, test.want)
		}
	}
	if got, err := event.Encode(broken{}); err == nil {
		t.Errorf("a value that can't be encoded became %s", got)
	}
}

type empty struct{}

func (empty) Kind() event.Kind         { return event.Kind{Type: "empty"} }
func (empty) Audience() event.Audience { return event.Audience{} }

type broken struct {
	empty
	Never func()
}

// Muted topics have the names of streams for clients that request them.
func TestStreamNames(t *testing.T) {
	t.Parallel()
	payload, err := event.Encode(event.MutedTopics{Topics: [][3]any{{7, "x", 1}}, Named: [][3]any{{"den", "x", 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		form event.Form
		want string
	}{
		{event.Form{}, `[[7,"x",1]]`},
		{event.Form{StreamNames: true}, `[["den","x",1]]`},
	} {
		got, err := event.Decode(payload).Append(nil, c.form, event.Copy{ID: 5})
		if want := `{"id":5,"type":"muted_topics","muted_topics":` + c.want + `}`; err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", c.form, got, err)
		}
	}
}
