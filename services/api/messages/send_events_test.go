package messages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// The receivers of the event of a message to a stream, with their flags (events.md, sections 4.1 to 4.3).
func TestSendFlags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, eve := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Eve", actor.Member)
	robot, spare := w.Bot("Robot", actor.GenericBot, ann), w.Bot("Spare", actor.GenericBot, ann)
	w.Bot("Hook", actor.IncomingWebhook, ann)
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	w.stream(ann, "vault", params{"principals": ids(ann, bob), "invite_only": true})
	w.stream(ann, "all", params{"principals": ids(ann, bob, eve, robot, spare)})

	wide := params{"all_public_streams": true}
	queues := map[string]*servicetest.Queue{
		"ann": messagesOf(ann, nil), "bob": messagesOf(bob, nil), "bob wide": messagesOf(bob, wide),
		"eve": messagesOf(eve, nil), "eve wide": messagesOf(eve, wide), "ann wide": messagesOf(ann, wide),
		"robot": messagesOf(robot, nil), "spare": messagesOf(spare, nil),
		"mentions": messagesOf(eve, params{"narrow": [][]string{{"is", "mentioned"}}}),
		"topic":    messagesOf(eve, params{"narrow": [][]string{{"topic", "VALVE 3"}}}),
	}
	const none = "[]"
	everyone := func(flags string) map[string]string {
		return map[string]string{"ann": flags, "bob": flags, "bob wide": flags, "eve wide": none, "ann wide": flags, "topic": none}
	}
	changed := func(base map[string]string, more ...string) map[string]string {
		for i := 0; i < len(more); i += 2 {
			base[more[i]] = more[i+1]
		}
		return base
	}
	for _, test := range []struct {
		name, to, content, client string
		by                        servicetest.Account
		want                      map[string]string // flags by queue
		rows                      map[string]int64  // of message_flags
	}{
		{"plain", "hall", "x", "", ann, everyone(none), nil},
		{"from a client for people", "hall", "x", "website", ann, changed(everyone(none), "ann", "[read]", "ann wide", "[read]"), nil},
		{"from a desktop app", "hall", "x", "Some Desktop App", ann, changed(everyone(none), "ann", "[read]", "ann wide", "[read]"), nil},
		{"by somebody outside", "hall", "x", "website", eve, everyone(none), nil},
		{
			"mention", "hall", "@**Bob** and @**bob** and @**Bob|" + bob.ID.String() + "**", "", ann,
			changed(everyone(none), "bob", "[mentioned]", "bob wide", "[mentioned]"),
			map[string]int64{"message_flags": 1},
		},
		{
			"of oneself", "hall", "@**Ann**", "ios", ann,
			changed(everyone(none), "ann", "[read mentioned]", "ann wide", "[read mentioned]"),
			map[string]int64{"message_flags": 1},
		},
		{"of somebody outside", "hall", "@**Eve**", "", ann, everyone(none), nil},
		{"silent", "hall", "@_**Bob**", "", ann, everyone(none), nil},
		{"in code", "hall", "`@**Bob**`", "", ann, everyone(none), nil},
		{"wildcard", "hall", "@**all**", "", ann, everyone("[wildcard_mentioned]"), nil},
		{
			"wildcard and mention", "hall", "@**everyone** @**Bob**", "", ann,
			changed(everyone("[wildcard_mentioned]"), "bob", "[mentioned wildcard_mentioned]", "bob wide", "[mentioned wildcard_mentioned]"),
			map[string]int64{"message_flags": 1},
		},
		{"silent wildcard", "hall", "@_**all**", "", ann, everyone(none), nil},
		{"bots outside", "hall", "@**Robot** @**Hook**", "", ann, changed(everyone(none), "robot", "[mentioned]"), map[string]int64{"message_flags": 1}},
		{"bot outside by itself", "hall", "@**Robot**", "", robot, changed(everyone(none), "robot", "[mentioned]"), map[string]int64{"message_flags": 1}},
		{
			"bot outside a private stream", "vault", "@**Robot** @**Bob**", "", ann,
			map[string]string{"ann": none, "bob": "[mentioned]", "bob wide": "[mentioned]", "ann wide": none},
			map[string]int64{"message_flags": 1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := with(toStream(test.to), "content", test.content)
			if test.client != "" {
				request["client"] = test.client
			}
			before := w.counts()
			sent(test.by, request)
			rows := map[string]int64{"messages": 1, "event_log": 1}
			for table, n := range test.rows {
				rows[table] = n
			}
			servicetest.Same(t, "new rows", rows, grown(before, w.counts()))
			last := w.number("select max(message_id) from messages")
			end := ann.SendStream("all", "VALVE 3", "@**all**")
			got := map[string]string{}
			for name, q := range queues {
				for _, e := range w.before(q, end) {
					if e.Message["id"] != float64(last) || got[name] != "" {
						t.Errorf("%s got message %v, once more or of another case", name, e.Message["id"])
					}
					got[name] = "[" + strings.Join(e.Flags, " ") + "]"
				}
			}
			servicetest.Same(t, "flags by queue", test.want, got)
		})
	}
}

// The number of rows doesn't depend on the number of receivers, except for a row for the call of each outgoing
// webhook bot.
func TestSendWritesTwoRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	everyone := []servicetest.Account{ann}
	for _, name := range []string{"Bea", "Cem", "Dan", "Eve", "Fay", "Gil", "Hal"} {
		everyone = append(everyone, w.Person(name, actor.Member))
	}
	everyone = append(everyone, w.Bot("Service", actor.OutgoingWebhook, ann), w.Bot("Program", actor.EmbeddedBot, ann))
	w.stream(ann, "large", params{"principals": ids(everyone...)})
	w.stream(ann, "small", nil)
	for _, name := range []string{"large", "small", "large", "small"} {
		before := w.counts()
		sent(ann, with(toStream(name), "content", "@**all** everybody"))
		servicetest.Same(t, "new rows for "+name, map[string]int64{"messages": 1, "event_log": 1}, grown(before, w.counts()))
	}
	first := w.number("select min(message_id) from messages")
	servicetest.Same(t, "the large stream's first message", first, w.number("select first_message_id from streams where name = 'large'"))

	group := toPeople(ids(everyone...))
	before := w.counts()
	sent(ann, group)
	servicetest.Same(t, "new rows for a new conversation", map[string]int64{
		"conversations": 1, "conversation_members": int64(len(everyone)), "messages": 1, "event_log": 1, "webhook_calls": 1,
	}, grown(before, w.counts()))
	before = w.counts()
	sent(everyone[3], group)
	servicetest.Same(t, "new rows for a known conversation", map[string]int64{"messages": 1, "event_log": 1, "webhook_calls": 1}, grown(before, w.counts()))
}

// The event of a private message has its participants in the order of rest-api.md, section 2.1, and only they receive
// it.
func TestSendPrivateEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// By id Zoe is first, by address Ann.
	zoe, ann, bob := w.Person("Zoe", actor.Member), w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest)
	queues := map[string]*servicetest.Queue{
		"zoe": messagesOf(zoe, nil), "ann": messagesOf(ann, params{"all_public_streams": true}), "bob": messagesOf(bob, nil),
	}
	person := func(a servicetest.Account) map[string]any {
		return map[string]any{"id": float64(a.ID), "email": a.RealEmail, "full_name": a.FullName, "is_mirror_dummy": false}
	}
	for _, test := range []struct {
		name    string
		by      servicetest.Account
		to      []int64
		content string
		people  []any
		flags   map[string]string
	}{
		{"one to one", zoe, ids(ann), "hi @**Ann** @**Bob**", []any{person(ann), person(zoe)}, map[string]string{"zoe": "", "ann": "mentioned"}},
		{"the answer", ann, ids(zoe), "@**all**", []any{person(ann), person(zoe)}, map[string]string{"zoe": "wildcard_mentioned", "ann": "wildcard_mentioned"}},
		{"group", bob, ids(ann, zoe), "hi", []any{person(zoe), person(ann), person(bob)}, map[string]string{"zoe": "", "ann": "", "bob": ""}},
		{"to oneself", ann, ids(ann), "hi", []any{person(ann)}, map[string]string{"ann": ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			message := sent(test.by, with(toPeople(test.to), "content", test.content))
			end := sent(zoe, toPeople(ids(ann, bob)))
			got := map[string]string{}
			for name, q := range queues {
				for _, e := range w.before(q, end) {
					got[name] = strings.Join(e.Flags, " ")
					servicetest.Same(t, "display_recipient", any(test.people), e.Message["display_recipient"])
					servicetest.Same(t, "the rest", map[string]any{
						"type": "private", "subject": "", "id": float64(message), "sender_id": float64(test.by.ID), "stream_id": nil,
						"recipient_id": float64(*w.stored(message).Conversation),
					}, map[string]any{
						"type": e.Message["type"], "subject": e.Message["subject"], "id": e.Message["id"], "sender_id": e.Message["sender_id"],
						"stream_id": e.Message["stream_id"], "recipient_id": e.Message["recipient_id"],
					})
				}
			}
			servicetest.Same(t, "flags by queue", test.flags, got)
		})
	}
}

// Fields of a message in each form of the event: links in the topic, "/me", a long text.
func TestSendMessageMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	raw, rendered := messagesOf(ann, nil), messagesOf(ann, params{"apply_markdown": true})
	sent(ann, with(with(toStream("hall"), "topic", "see https://docs.example.com/x and example.org"), "content", "/me **waves** <"))
	one, two := raw.Poll()[0].Message, rendered.Poll()[0].Message
	servicetest.Same(t, "topic_links", []any{"https://docs.example.com/x", "https://example.org"}, one["topic_links"].([]any))
	servicetest.Same(t, "is_me_message", any(true), one["is_me_message"])
	servicetest.Same(t, "source", []any{"/me **waves** <", "text/x-markdown"}, []any{one["content"], one["content_type"]})
	servicetest.Same(t, "HTML", []any{"<p>/me <strong>waves</strong> &lt;</p>", "text/html"}, []any{two["content"], two["content_type"]})
	long := strings.Repeat("ä", 5000)
	sent(ann, with(toStream("hall"), "content", long))
	servicetest.Same(t, "a long text", any(long), raw.Poll()[0].Message["content"])
}

// Only the given queue gets the local id (events.md, section 2.12).
func TestSendLocalEcho(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	own, other, bobs := messagesOf(ann, nil), messagesOf(ann, nil), messagesOf(bob, nil)
	const local = `17.5 "&<>` + "\u2028\\"
	ann.Do(http.MethodPost, "/messages", with(with(toStream("hall"), "queue_id", own.ID), "local_id", local)).OK()
	if got := own.Poll()[0].LocalMessageID; got == nil || *got != local {
		t.Errorf("local_message_id is %v", got)
	}
	for _, q := range []*servicetest.Queue{other, bobs} {
		if got := q.Poll()[0].LocalMessageID; got != nil {
			t.Errorf("local_message_id is %q in another queue", *got)
		}
	}
	sent(ann, with(with(toStream("hall"), "queue_id", "no such queue"), "local_id", local))
	if got := own.Poll()[0].LocalMessageID; got != nil {
		t.Errorf("local_message_id is %q", *got)
	}
	for _, name := range []string{"queue_id", "local_id"} { // both are stored in the message's event
		long := with(with(with(toStream("hall"), "queue_id", own.ID), "local_id", local), name, strings.Repeat("é", 101))
		ann.Do(http.MethodPost, "/messages", long).Fails(400, "BAD_REQUEST", name+" is too long (limit: 100 characters; sent: 101)")
	}
}
