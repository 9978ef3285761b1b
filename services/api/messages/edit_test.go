package messages_test

import (
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// The receivers of the event of a new content, with their flags (events.md, sections 3.3 and 4.5).
func TestEditContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cem := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cem", actor.Member)
	former, late, eve := w.Person("Former", actor.Member), w.Person("Late", actor.Guest), w.Person("Eve", actor.Administrator)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	c := w.crowd(eve, map[string]servicetest.Account{"ann": ann, "bob": bob, "cem": cem, "former": former, "late": late, "eve": eve, "robot": robot})
	hall := w.stream(ann, "hall", params{"principals": ids(ann, bob, cem, former)})
	message := sent(ann, with(with(toStream("hall"), "client", "website"), "content", "@**Bob** @**Robot** before"))
	leave(former, "hall")
	eve.Do("POST", "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": "hall"}}, "principals": ids(late)}).OK()
	w.db.Exec("update messages set renderer = 7 where message_id = $1", message) // of another version
	c.events()
	servicetest.Same(t, "rows of flags", map[int64]int16{int64(bob.ID): 8, int64(robot.ID): 2048 | 8}, w.flagged(message))

	edit(ann, message, params{"content": " /me @**Cem** @**Late** @**all** after\n"}).OK()
	event := eventJSON{
		"type": "update_message", "user_id": float64(ann.ID), "message_id": float64(message), "message_ids": list(message),
		"stream_name": "hall", "flags": flags("wildcard_mentioned"),
		"orig_content": "@**Bob** @**Robot** before", "content": "/me @**Cem** @**Late** @**all** after",
		"orig_rendered_content":         storetest.Values[string](w.db, "select edits -> 0 ->> 'prev_rendered_content' from messages where message_id = $1", message)[0],
		"rendered_content":              storetest.Values[string](w.db, "select rendered from messages where message_id = $1", message)[0],
		"prev_rendered_content_version": float64(7), "is_me_message": true,
	}
	servicetest.Same(t, "events", map[string][]eventJSON{
		"ann": {c.with(event, "flags", flags("read", "wildcard_mentioned"))}, "bob": {event},
		"cem": {c.with(event, "flags", flags("mentioned", "wildcard_mentioned"))},
		// These two haven't received it. One has read it by leaving.
		"former": {c.with(event, "flags", flags("read", "wildcard_mentioned"))}, "late": {c.with(event, "flags", flags("read"))},
		"robot": {event}, // which has it without a subscription
	}, c.events())
	servicetest.Same(t, "rows of flags", map[int64]int16{int64(bob.ID): 0, int64(robot.ID): 2048, int64(cem.ID): 8}, w.flagged(message))
	servicetest.Same(t, "marks", int64(1|2|32), w.number("select flags from messages where message_id = $1", message))
	if !strings.Contains(event["orig_rendered_content"].(string), "before") || !strings.Contains(event["rendered_content"].(string), "after") {
		t.Errorf("rendered contents are %v", event)
	}

	servicetest.Same(t, "the renderer", int64(3), w.number("select renderer from messages where message_id = $1", message))

	edit(ann, message, params{"content": " \n"}).OK()
	servicetest.Same(t, "an emptied content", stored{&hall, nil, "valve 3", "(deleted)", "website"}, w.stored(message))
	servicetest.Same(t, "rows of flags", map[int64]int16{int64(bob.ID): 0, int64(robot.ID): 2048, int64(cem.ID): 0}, w.flagged(message))
	servicetest.Same(t, "marks", int64(2), w.number("select flags from messages where message_id = $1", message))
	servicetest.Same(t, "flags", flags("read"), c.events()["ann"][0]["flags"].([]any))
}

// If the history isn't public, only accounts that have received the message or marked it get the event of an edit.
func TestEditWithoutPublicHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, former, late, eve := w.Person("Ann", actor.Member), w.Person("Former", actor.Member), w.Person("Late", actor.Member), w.Person("Eve", actor.Owner)
	c := w.crowd(eve, map[string]servicetest.Account{"ann": ann, "former": former, "late": late, "eve": eve})
	w.stream(ann, "vault", params{"principals": ids(ann, former), "invite_only": true})
	message := sent(ann, toStream("vault"))
	leave(former, "vault")
	ann.Do("POST", "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": "vault"}}, "principals": ids(late)}).OK()
	c.events()
	edit(ann, message, params{"content": "x"}).OK()
	events := c.events()
	servicetest.Same(t, "who got the event", []bool{true, true, false, false}, []bool{events["ann"] != nil, events["former"] != nil, events["late"] != nil, events["eve"] != nil})
	for _, a := range []servicetest.Account{late, eve} {
		edit(a, message, params{"topic": "y"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	}
}

// The event of a private message has neither a stream nor a topic.
func TestEditPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, eve := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest), w.Person("Eve", actor.Owner)
	c := w.crowd(eve, map[string]servicetest.Account{"ann": ann, "bob": bob, "eve": eve})
	message := sent(bob, with(toPeople(ids(ann)), "content", "one"))
	c.events()
	edit(bob, message, params{"content": "@**Ann** two"}).OK()
	event := eventJSON{
		"type": "update_message", "user_id": float64(bob.ID), "message_id": float64(message), "message_ids": list(message), "flags": flags(),
		"orig_content": "one", "orig_rendered_content": "<p>one</p>", "content": "@**Ann** two", "is_me_message": false,
		"rendered_content":              `<p><span class="user-mention" data-user-id="` + ann.ID.String() + `">@Ann</span> two</p>`,
		"prev_rendered_content_version": float64(3),
	}
	servicetest.Same(t, "events", map[string][]eventJSON{"ann": {c.with(event, "flags", flags("mentioned"))}, "bob": {event}}, c.events())

	edit(ann, message, params{"content": "x"}).Fails(400, "BAD_REQUEST", "You don't have permission to edit this message")
	edit(bob, message, params{"topic": "x"}).Fails(400, "BAD_REQUEST", "Private messages cannot have topics.")
	edit(eve, message, params{"content": "x"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	hall := w.stream(eve, "hall", nil)
	edit(bob, message, params{"stream_id": hall}).Fails(400, "BAD_REQUEST", "You don't have permission to move this message")
	own := sent(eve, toPeople(ids(ann)))
	edit(eve, own, params{"stream_id": hall}).Fails(400, "BAD_REQUEST", "Streams must be public")
	if events := c.events(); len(events["bob"]) > 0 {
		t.Errorf("a failure sent events: %v", events)
	}
}

// The messages that are moved along with a new topic, and the events that report this (events.md, section 3.3).
func TestEditTopic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, eve := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Eve", actor.Member)
	c := w.crowd(eve, map[string]servicetest.Account{"ann": ann, "bob": bob, "eve": eve})
	hall := w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	w.stream(ann, "shed", nil)
	say := func(stream, topic string) int64 { return ann.SendStream(stream, topic, "x") }
	for _, test := range []struct {
		name, mode string
		want       []int // indexes of the four messages
	}{
		{"one", "", []int{1}},
		{"one by name", "change_one", []int{1}},
		{"later", "change_later", []int{1, 2, 3}},
		{"all", "change_all", []int{1, 0, 2, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			topic := "Valve " + test.name
			numbers := []int64{say("hall", topic), say("hall", strings.ToUpper(topic)), say("hall", strings.ToLower(topic)), say("hall", topic)}
			say("shed", topic)
			other := say("hall", topic+" 2")
			c.events()
			request := params{"topic": " see https://docs.example.com " + test.name + " "}
			if test.mode != "" {
				request["propagate_mode"] = test.mode
			}
			edit(bob, numbers[1], request).OK()
			changed := []int64{}
			for _, i := range test.want {
				changed = append(changed, numbers[i])
			}
			event := eventJSON{
				"type": "update_message", "user_id": float64(bob.ID), "message_id": float64(numbers[1]), "message_ids": list(changed...),
				"flags": flags(), "stream_name": "hall", "stream_id": float64(hall), "orig_subject": strings.ToUpper(topic),
				"subject": "see https://docs.example.com " + test.name, "topic_links": []any{"https://docs.example.com"},
				"propagate_mode": "change_one",
			}
			if test.mode != "" {
				event["propagate_mode"] = test.mode
			}
			servicetest.Same(t, "events", map[string][]eventJSON{"ann": {event}, "bob": {event}}, c.events())
			servicetest.Same(t, "number in the new topic", len(changed), len(w.topic(hall, "see https://docs.example.com "+test.name)))
			servicetest.Same(t, "the other topic", topic+" 2", w.stored(other).Topic)
			servicetest.Same(t, "edited messages", int64(1), w.number("select count(*) from messages where edits is not null and topic = $1", "see https://docs.example.com "+test.name))
		})
	}
	t.Run("with content", func(t *testing.T) {
		message := say("hall", "both")
		c.events()
		edit(ann, message, params{"subject": "new", "content": "y"}).OK()
		event := c.events()["bob"][0]
		servicetest.Same(t, "parts", []any{"both", "new", "x", "y"}, []any{event["orig_subject"], event["subject"], event["orig_content"], event["content"]})
	})
	t.Run("as it is", func(t *testing.T) {
		message := say("hall", "same")
		c.events()
		edit(ann, message, params{"topic": " same "}).OK()
		edit(ann, message, params{"topic": "same", "content": "y"}).OK()
		events := c.events()["bob"]
		if len(events) != 1 || events[0]["subject"] != nil || events[0]["content"] != "y" {
			t.Errorf("events: %v", events)
		}
		edit(ann, message, params{"topic": "Same"}).OK()
		servicetest.Same(t, "the topic", "Same", w.stored(message).Topic)
	})
}

// The checks of rest-api.md, section 2.7, in their order.
func TestEditChecksInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(`{"allow_community_topic_editing": false}`)
	ada, ann, bob := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	guest := w.Person("Guest", actor.Guest)
	hall := w.stream(ann, "hall", params{"principals": ids(ann, bob, ada)})
	vault := w.stream(ada, "vault", params{"invite_only": true})
	shed := w.stream(ada, "shed", nil)
	foreign := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Owner})
	abroad := w.stream(foreign, "abroad", nil)
	message, private := sent(ann, toStream("hall")), sent(ada, toStream("vault"))
	gone := ann.SendStream("hall", "(no topic)", "x")

	const denied = "You don't have permission to edit this message"
	for _, test := range []struct {
		name    string
		who     servicetest.Account
		of      int64
		request params
		code    string
		msg     string
	}{
		{"mode", ann, 1 << 40, params{"propagate_mode": "all"}, "BAD_REQUEST", "Invalid propagate_mode"},
		{"mode alone", ann, 1 << 40, params{"propagate_mode": "change_all", "content": "x"}, "", "Invalid propagate_mode without topic edit"},
		{"unknown", ann, 1 << 40, params{"content": "x"}, "BAD_REQUEST", "Invalid message(s)"},
		{"out of sight", guest, message, params{"topic": "x"}, "BAD_REQUEST", "Invalid message(s)"},
		{"another organization's", foreign, message, params{"topic": "x"}, "BAD_REQUEST", "Invalid message(s)"},
		{"another's content", ada, message, params{"content": "x"}, "BAD_REQUEST", denied},
		{"another's topic", bob, message, params{"topic": " "}, "BAD_REQUEST", denied},
		{"another's content without topic", bob, gone, params{"topic": "x", "content": "x"}, "BAD_REQUEST", denied},
		{"nothing", ann, message, params{}, "", "Nothing to change"},
		{"no topic", ann, message, params{"topic": " \n", "content": "\x00"}, "BAD_REQUEST", "Topic can't be empty"},
		{"nul in the topic", ann, message, params{"topic": "\x00"}, "BAD_REQUEST", "Topic must not contain null bytes"},
		{"long topic", ann, message, params{"topic": strings.Repeat("é", 61)}, "BAD_REQUEST", "Topic is too long: it has 61 characters, the limit is 60"},
		{"nul", ann, message, params{"content": "\x00"}, "BAD_REQUEST", "Message must not contain null bytes"},
		{"long", ann, message, params{"content": strings.Repeat("x", 10001), "stream_id": shed}, "BAD_REQUEST", "Message is too long: it has 10001 bytes, the limit is 10000"},
		{"not rendered", ann, message, params{"content": strings.Repeat("$$<<<$$ ", 1200), "stream_id": shed}, "BAD_REQUEST", "Unable to render message"},
		{"move by a member", ann, message, params{"stream_id": shed, "content": "x"}, "BAD_REQUEST", "You don't have permission to move this message"},
		{"move with content", ada, private, params{"stream_id": 1 << 30, "content": "x"}, "BAD_REQUEST", "Cannot change message content while changing stream"},
		{"move to nowhere", ada, message, params{"stream_id": 1 << 30}, "BAD_REQUEST", "Invalid stream id"},
		{"move to another organization", ada, message, params{"stream_id": abroad}, "BAD_REQUEST", "Invalid stream id"},
		{"move to no number", ada, message, params{"stream_id": "x"}, "REQUEST_VARIABLE_INVALID", "Bad value for 'stream_id': x"},
		{"move to a private stream", ada, message, params{"stream_id": vault}, "BAD_REQUEST", "Streams must be public"},
		{"move from a private stream", ada, private, params{"stream_id": hall}, "BAD_REQUEST", "Streams must be public"},
		{"two names", ann, message, params{"topic": "a", "subject": "b"}, "REQUEST_CONFUSING_VAR", "Can't decide between 'topic' and 'subject' arguments"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := w.stored(message)
			w.unchanged(t, func() { edit(test.who, test.of, test.request).Fails(400, test.code, test.msg) })
			servicetest.Same(t, "the message", before, w.stored(message))
		})
	}
	edit(bob, gone, params{"topic": "found"}).OK()
	edit(ada, message, params{"topic": "found"}).OK()
	w.db.Exec(`update organizations set settings = settings || '{"allow_message_editing": false}'`)
	edit(ada, 1<<40, params{"propagate_mode": "change_all", "topic": "x"}).Fails(400, "", "Your organization has turned off message editing")
}

// Time limits with their grace periods (rest-api.md, section 2.7).
func TestEditLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ann, bob := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ada, ann, bob)})
	message, hers := sent(ann, toStream("hall")), sent(ada, toStream("hall"))
	const late = "The time limit for editing this message has passed"
	content, topic := params{"content": "x"}, params{"topic": "x"}
	w.older(message, 610*time.Second)
	edit(ann, message, content).OK()
	w.older(message, 15*time.Second)
	edit(ann, message, content).Fails(400, "BAD_REQUEST", late)
	edit(bob, message, topic).OK()
	w.older(hers, time.Hour)
	edit(ada, hers, content).Fails(400, "BAD_REQUEST", late)
	w.older(message, 24*time.Hour)
	edit(bob, message, params{"topic": "y"}).Fails(400, "BAD_REQUEST", late)
	edit(ann, message, params{"topic": "y"}).OK()
	edit(ada, message, params{"topic": "(no topic)"}).OK()
	edit(bob, message, params{"topic": "z"}).OK()
}
