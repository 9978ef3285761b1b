package messages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func remove(a servicetest.Account, message int64) servicetest.Answer {
	return a.Do(http.MethodDelete, at(message), nil)
}

// The receivers of the event of a deletion, and the remaining data (rest-api.md, section 2.8; events.md, sections 3.4
// and 7).
func TestDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ann, bob := w.Person("Ada", actor.Owner), w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest)
	former, late, eve := w.Person("Former", actor.Member), w.Person("Late", actor.Member), w.Person("Eve", actor.Member)
	c := w.crowd(eve, map[string]servicetest.Account{"ada": ada, "ann": ann, "bob": bob, "former": former, "late": late, "eve": eve})
	c.clients["slow ann"] = watching(ann, params{"client_capabilities": map[string]bool{"notification_settings_null": true}})
	hall := w.stream(ann, "hall", params{"principals": ids(ann, bob, former)})
	w.bare(hall)
	first, second := sent(ann, with(toStream("hall"), "content", "@**Bob** **one**")), sent(ann, toStream("hall"))
	leave(former, "hall")
	late.Subscribe("hall")
	ada.Do(http.MethodPost, at(first)+"/reactions", params{"emoji_name": "smile"}).OK()
	c.events()

	before := w.counts()
	remove(ada, first).OK()
	servicetest.Same(t, "rows", map[string]int64{"messages": -1, "message_flags": -2, "reactions": -1, "deleted_messages": 1, "event_log": 1}, grown(before, w.counts()))
	gone := eventJSON{"type": "delete_message", "message_type": "stream", "message_ids": list(first), "stream_id": float64(hall), "topic": "valve 3"}
	// Ada isn't subscribed, but has reacted.
	servicetest.Same(t, "events", map[string][]eventJSON{
		"ada": {gone}, "ann": {gone}, "bob": {gone}, "former": {gone}, "late": {gone},
		"slow ann": {c.with(gone, "message_ids", nil, "message_id", float64(first))},
	}, c.events())
	servicetest.Same(t, "the first message", second, w.number("select first_message_id from streams where stream_id = $1", hall))
	kept := storetest.Values[string](w.db, "select message::text from deleted_messages where message_id = $1 and deleted_by = $2", first, ada.ID)
	if len(kept) != 1 || !strings.Contains(kept[0], `"content": "@**Bob** **one**"`) || strings.Contains(kept[0], `"search"`) {
		t.Errorf("kept rows: %v", kept)
	}
	for _, a := range []servicetest.Account{ada, ann} {
		remove(a, first).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		a.Do(http.MethodGet, at(first)+"/history", nil).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		edit(a, first, params{"content": "x"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	}
	remove(ada, second).OK()
	servicetest.Same(t, "an empty stream", int64(0), w.number("select coalesce(first_message_id, 0) from streams where stream_id = $1", hall))

	t.Run("private", func(t *testing.T) {
		w.db.Exec(`update organizations set settings = settings || '{"allow_message_deleting": true}'`)
		message := sent(ann, toPeople(ids(bob)))
		conversation := *w.stored(message).Conversation
		c.events()
		remove(ada, message).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		remove(bob, message).Fails(400, "BAD_REQUEST", "You don't have permission to delete this message")
		remove(ann, message).OK()
		gone := eventJSON{
			"type": "delete_message", "message_type": "private", "message_ids": list(message), "recipient_id": float64(conversation),
		}
		servicetest.Same(t, "events", map[string][]eventJSON{
			"ann": {gone}, "bob": {gone}, "slow ann": {c.with(gone, "message_ids", nil, "message_id", float64(message))},
		}, c.events())
	})
}

// Who may delete which messages, and for how long.
func TestDeleteRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ann := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	foreign := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Owner})
	w.stream(ann, "hall", nil)
	w.stream(ann, "vault", params{"invite_only": true})
	own, bots, secret := sent(ann, toStream("hall")), sent(robot, toStream("hall")), sent(ann, toStream("vault"))
	const denied, late = "You don't have permission to delete this message", "The time limit for deleting this message has passed"
	w.unchanged(t, func() {
		remove(ann, own).Fails(400, "BAD_REQUEST", denied)
		remove(ann, bots).Fails(400, "BAD_REQUEST", denied)
		remove(robot, bots).Fails(400, "BAD_REQUEST", denied)
		remove(ada, secret).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		remove(foreign, own).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		remove(ada, 1<<40).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		ada.Do(http.MethodDelete, "/messages/99999999999999999999", nil).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	})
	w.db.Exec(`update organizations set settings = settings || '{"allow_message_deleting": true}'`)
	remove(ann, bots).Fails(400, "BAD_REQUEST", denied)
	w.older(own, 601*time.Second)
	remove(ann, own).Fails(400, "BAD_REQUEST", late)
	w.db.Exec(`update organizations set settings = settings || '{"message_content_delete_limit_seconds": 0}'`)
	remove(ann, own).OK()
	remove(robot, bots).OK()
	remove(ann, secret).OK()
	again := sent(ann, toStream("hall"))
	w.older(again, 1000*time.Hour)
	remove(ada, again).OK()
}
