package messages_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// Of concurrent changes none is lost, and deleted messages stay deleted.
func TestEditAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(`{"allow_message_deleting": true}`)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	hall := w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	c := w.crowd(ann, map[string]servicetest.Account{"bob": bob})

	t.Run("two contents", func(t *testing.T) {
		message := sent(ann, toStream("hall"))
		c.events()
		answers := w.together(hall,
			func() servicetest.Answer { return edit(ann, message, params{"content": "one"}) },
			func() servicetest.Answer { return edit(ann, message, params{"content": "two"}) },
		)
		servicetest.Same(t, "statuses", []int{200, 200}, statuses(answers))
		events := c.events()["bob"]
		servicetest.Same(t, "events lead from one to the next", []any{"it leaks", events[0]["content"]}, []any{events[0]["orig_content"], events[1]["orig_content"]})
		servicetest.Same(t, "the content", events[1]["content"].(string), w.stored(message).Content)
		servicetest.Same(t, "edits", int64(2), w.number("select jsonb_array_length(edits) from messages where message_id = $1", message))
	})
	t.Run("a submessage, and a content that was decided on before", func(t *testing.T) {
		message := sent(ann, toStream("hall"))
		c.events()
		answers := w.behind("select from messages where message_id = $1 for update", message,
			func() servicetest.Answer {
				return bob.Do("POST", "/submessage", params{"message_id": message, "msg_type": "widget", "content": "1"})
			},
			func() servicetest.Answer { return edit(ann, message, params{"content": "one"}) },
		)
		servicetest.Same(t, "statuses", []int{200, 200}, statuses(answers))
		shown := fetched{}
		bob.Do("GET", "/messages", params{"anchor": message, "num_before": 0, "num_after": 0}).OK().Decode(&shown)
		servicetest.Same(t, "submessages", 1, len(shown.Messages[0]["submessages"].([]any)))
		c.events()
	})
	t.Run("topic and deletion", func(t *testing.T) {
		message := sent(ann, toStream("hall"))
		c.events()
		answers := w.together(hall,
			func() servicetest.Answer { return ann.Do("DELETE", at(message), nil) },
			func() servicetest.Answer { return edit(ann, message, params{"topic": "one"}) },
			func() servicetest.Answer { return edit(ann, message, params{"content": "one"}) },
			func() servicetest.Answer { return ann.Do("DELETE", at(message), nil) },
			func() servicetest.Answer {
				return ann.Do("POST", at(message)+"/reactions", params{"emoji_name": "smile"})
			},
		)
		servicetest.Same(t, "statuses", []int{200, 400, 400, 400, 400}, statuses(answers))
		answers[1].Fails(400, "BAD_REQUEST", "Invalid message(s)")
		answers[2].Fails(400, "BAD_REQUEST", "Invalid message(s)")
		answers[3].Fails(400, "BAD_REQUEST", "Invalid message(s)")
		answers[4].Fails(400, "BAD_REQUEST", "Invalid message(s)")
		servicetest.Same(t, "events", 1, len(c.events()["bob"]))
	})
	t.Run("deletion, and a star meanwhile", func(t *testing.T) {
		message := sent(ann, toStream("hall"))
		ann.Do("POST", at(message)+"/reactions", params{"emoji_name": "smile"}).OK()
		c.events()
		answers := w.behind("select from reactions where message_id = $1 for update", message,
			func() servicetest.Answer { return ann.Do("DELETE", at(message), nil) },
			func() servicetest.Answer {
				return bob.Do("POST", "/messages/flags", params{"messages": []int64{message}, "op": "add", "flag": "starred"})
			},
		)
		servicetest.Same(t, "statuses", []int{200, 200}, statuses(answers))
		servicetest.Same(t, "flags of no message", int64(0), w.number("select count(*) from message_flags where message_id = $1", message))
		c.events()
	})
	t.Run("subscriptions", func(t *testing.T) {
		message := sent(ann, toStream("hall"))
		c.events()
		answers := w.together(hall,
			func() servicetest.Answer {
				return bob.Do("DELETE", "/users/me/subscriptions", params{"subscriptions": []string{"hall"}})
			},
			func() servicetest.Answer { return edit(ann, message, params{"content": "one"}) },
		)
		servicetest.Same(t, "statuses", []int{200, 200}, statuses(answers))
		servicetest.Same(t, "who left gets the event of what they had", 1, len(c.events()["bob"]))
	})
}
