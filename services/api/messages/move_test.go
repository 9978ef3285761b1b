package messages_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// A move to another stream: the receivers of its events, and the changes of flags and of the streams' first messages
// (rest-api.md, section 2.7; events.md, section 3.3).
func TestMove(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada := w.Person("Ada", actor.Administrator)
	both, old, now := w.Person("Both", actor.Member), w.Person("Old", actor.Member), w.Person("New", actor.Member)
	guest, guestBoth, guestNew := w.Person("Guest", actor.Guest), w.Person("Guest Both", actor.Guest), w.Person("Guest New", actor.Guest)
	former, eve := w.Person("Former", actor.Guest), w.Person("Eve", actor.Member)
	c := w.crowd(eve, map[string]servicetest.Account{
		"ada": ada, "both": both, "old": old, "new": now, "guest": guest, "guest both": guestBoth, "guest new": guestNew,
		"former": former, "eve": eve,
	})
	c.clients["old"] = watching(old, params{"event_types": []string{"message", "update_message", "delete_message", "update_message_flags"}})
	c.clients["slow guest"] = watching(guest, params{"client_capabilities": map[string]bool{"notification_settings_null": true}})
	hall := w.stream(ada, "hall", params{"principals": ids(ada, both, old, guest, guestBoth, former)})
	shed := w.stream(ada, "shed", params{"principals": ids(ada, both, now, guestBoth, guestNew)})
	w.bare(hall, shed)
	first := func(stream int64) int64 {
		return w.number("select coalesce(first_message_id, 0) from streams where stream_id = $1", stream)
	}
	one := ada.SendStream("hall", "Valve", "@**Old** @**Both**")
	two := ada.SendStream("hall", "valve", "@**Guest**")
	inShed := ada.SendStream("shed", "x", "x")
	three := ada.SendStream("hall", "valve", "three")
	rest := ada.SendStream("hall", "rest", "rest")
	leave(former, "hall")
	c.events()

	edit(ada, two, params{"stream_id": shed, "topic": "Gate", "propagate_mode": "change_all"}).OK()
	mover := fmt.Sprintf("@_**Ada|%d**", ada.ID)
	notices := map[string]eventJSON{
		"shed": {"type": "message", "in": "shed", "topic": "Gate", "by": "Notification Bot", "content": mover + " moved this topic here from #**hall>valve**."},
		"hall": {"type": "message", "in": "hall", "topic": "valve", "by": "Notification Bot", "content": mover + " moved this topic to #**shed>Gate**."},
	}
	moved := eventJSON{
		"type": "update_message", "user_id": float64(ada.ID), "message_id": float64(two), "message_ids": list(two, one, three), "flags": flags(),
		"stream_name": "hall", "stream_id": float64(hall), "new_stream_id": float64(shed), "propagate_mode": "change_all",
		"orig_subject": "valve", "subject": "Gate", "topic_links": []any{},
	}
	gone := eventJSON{"type": "delete_message", "message_type": "stream", "stream_id": float64(hall), "topic": "valve", "message_ids": list(two, one, three)}
	// Nobody who isn't in the new stream counts them as unread.
	read := func(messages ...int64) eventJSON {
		return eventJSON{"type": "update_message_flags", "operation": "add", "flag": "read", "messages": list(messages...), "all": false}
	}
	single := func(message int64) eventJSON { return c.with(gone, "message_ids", nil, "message_id", float64(message)) }
	servicetest.Same(t, "events", map[string][]eventJSON{
		"ada": {moved, notices["shed"], notices["hall"]}, "both": {moved, notices["shed"], notices["hall"]},
		"old": {read(one, two, three), notices["hall"]}, "new": {notices["shed"]}, "guest": {gone, notices["hall"]},
		"slow guest": {single(two), single(one), single(three), notices["hall"]},
		"guest both": {moved, notices["shed"], notices["hall"]}, "guest new": {notices["shed"]}, "former": {gone},
	}, c.events())
	servicetest.Same(t, "the topic", []int64{one, two, three}, w.topic(shed, "Gate")[:3])
	servicetest.Same(t, "first messages", []int64{rest, one}, []int64{first(hall), first(shed)})
	if inShed < one {
		t.Error("the test expects another order")
	}
	servicetest.Same(t, "rows of flags", []map[int64]int16{{int64(both.ID): 8}, {}}, []map[int64]int16{w.flagged(one), w.flagged(two)})
	edit(guest, two, params{"topic": "x"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	edit(guestNew, two, params{"topic": "Gate 2"}).OK()
	c.events()

	t.Run("without notices", func(t *testing.T) {
		edit(ada, rest, params{"stream_id": shed, "send_notification_to_old_thread": false, "send_notification_to_new_thread": false}).OK()
		alone := c.with(moved, "message_id", float64(rest), "message_ids", list(rest), "propagate_mode", "change_one",
			"orig_subject", "rest", "subject", nil, "topic_links", nil)
		lost := c.with(gone, "message_ids", list(rest), "topic", "rest")
		servicetest.Same(t, "events", map[string][]eventJSON{
			"ada": {alone}, "both": {alone}, "old": {read(rest)}, "guest both": {alone}, "guest": {lost}, "former": {lost},
			"slow guest": {c.with(lost, "message_ids", nil, "message_id", float64(rest))},
		}, c.events())
		servicetest.Same(t, "where it is", stored{&shed, nil, "rest", "rest", "Test"}, w.stored(rest))
	})
	t.Run("one notice", func(t *testing.T) {
		message := ada.SendStream("hall", "one", "x")
		later := ada.SendStream("hall", "one", "x")
		c.events()
		edit(ada, message, params{"stream_id": shed, "send_notification_to_new_thread": false, "propagate_mode": "change_later"}).OK()
		servicetest.Same(t, "where they are", []int64{message, later}, w.topic(shed, "one"))
		servicetest.Same(t, "events of who is in the old stream", []eventJSON{
			read(message, later), {"type": "message", "in": "hall", "topic": "one", "by": "Notification Bot", "content": mover + " moved messages to #**shed>one**."},
		}, c.events()["old"])
		message = ada.SendStream("hall", "two", "x")
		c.events()
		edit(ada, message, params{"stream_id": shed, "topic": "two", "send_notification_to_old_thread": false}).OK()
		servicetest.Same(t, "events of who is in the new stream", []eventJSON{
			{"type": "message", "in": "shed", "topic": "two", "by": "Notification Bot", "content": mover + " moved a message here from #**hall>two**."},
		}, c.events()["new"])
	})
	t.Run("to where it is", func(t *testing.T) {
		message := ada.SendStream("hall", "stays", "x")
		c.events()
		edit(ada, message, params{"stream_id": hall, "propagate_mode": "change_all"}).OK()
		edit(ada, message, params{"stream_id": hall, "topic": "goes"}).OK()
		events := c.events()["old"]
		if len(events) != 1 || events[0]["subject"] != "goes" || events[0]["new_stream_id"] != nil {
			t.Errorf("events: %v", events)
		}
	})
	t.Run("the last one", func(t *testing.T) {
		empty := w.stream(ada, "empty", nil)
		w.bare(empty)
		message := ada.SendStream("empty", "x", "x")
		edit(ada, message, params{"stream_id": shed, "send_notification_to_old_thread": false}).OK()
		servicetest.Same(t, "first message", int64(0), first(empty))
		again := ada.SendStream("empty", "x", "x")
		servicetest.Same(t, "first message", again, first(empty))
	})
}

// Guests who have left lose each message of a topic that moves, whichever of them the request names and however they got
// it.
func TestMoveFromFormerGuest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, gus, eve := w.Person("Ada", actor.Administrator), w.Person("Gus", actor.Guest), w.Person("Eve", actor.Member)
	c := w.crowd(eve, map[string]servicetest.Account{"gus": gus})
	hall := w.stream(ada, "hall", params{"principals": ids(ada, gus)})
	shed := w.stream(ada, "shed", nil)
	w.bare(hall, shed)
	one := ada.SendStream("hall", "valve", "@**Gus**")
	two := ada.SendStream("hall", "valve", "x")
	leave(gus, "hall")
	three := ada.SendStream("hall", "valve", "y")
	flagged := ada.SendStream("hall", "valve", "z")
	w.db.Exec("insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, $3, 0)", w.Org.ID, gus.ID, flagged)
	c.events()
	quiet := params{"stream_id": shed, "propagate_mode": "change_all", "send_notification_to_old_thread": false, "send_notification_to_new_thread": false}
	edit(ada, three, quiet).OK()
	servicetest.Same(t, "events", map[string][]eventJSON{"gus": {{
		"type": "delete_message", "message_type": "stream", "stream_id": float64(hall), "topic": "valve", "message_ids": list(three, one, two, flagged),
	}}}, c.events())
	for _, message := range []int64{one, two, flagged} {
		edit(gus, message, params{"topic": "x"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
		servicetest.Same(t, "flags", map[int64]int16{}, w.flagged(message))
	}
}

// Guests may read a stream whose history may be read without an account: they lose nothing that moves into it.
func TestMoveIntoWebPublic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, gus, eve := w.Person("Ada", actor.Administrator), w.Person("Gus", actor.Guest), w.Person("Eve", actor.Member)
	c := w.crowd(eve, map[string]servicetest.Account{"gus": gus})
	w.stream(ada, "hall", params{"principals": ids(ada, gus)})
	web := w.stream(ada, "web", nil)
	old := ada.SendStream("web", "valve", "x")
	readable := func(message int64) servicetest.Answer {
		return gus.Do(http.MethodGet, fmt.Sprintf("/messages/%d", message), nil)
	}
	readable(old).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	w.db.Exec("update streams set is_web_public = true where stream_id = $1", web)
	readable(old).OK()
	moved := ada.SendStream("hall", "valve", "y")
	c.events()
	edit(ada, moved, params{
		"stream_id": web, "propagate_mode": "change_all", "send_notification_to_old_thread": false, "send_notification_to_new_thread": false,
	}).OK()
	servicetest.Same(t, "events", map[string][]eventJSON{}, c.events())
	readable(moved).OK()
}

// For those who are subscribed to the new stream only since later, messages become history, which is read.
func TestMoveIntoHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, mia, eve := w.Person("Ada", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Eve", actor.Member)
	c := w.crowd(eve, map[string]servicetest.Account{"mia": mia})
	c.clients["mia"] = watching(mia, params{"event_types": []string{"message", "update_message_flags"}})
	w.stream(ada, "hall", params{"principals": ids(ada, mia)})
	shed := w.stream(ada, "shed", nil)
	one, two := ada.SendStream("hall", "valve", "x"), ada.SendStream("hall", "valve", "y")
	mia.Do(http.MethodPost, "/messages/flags", params{"messages": []int64{one}, "flag": "read", "op": "add"}).OK()
	mia.Subscribe("shed")
	three := ada.SendStream("hall", "valve", "z")
	c.events()
	edit(ada, one, params{
		"stream_id": shed, "propagate_mode": "change_all", "send_notification_to_old_thread": false, "send_notification_to_new_thread": false,
	}).OK()
	servicetest.Same(t, "events", map[string][]eventJSON{"mia": {{
		"type": "update_message_flags", "operation": "add", "flag": "read", "messages": list(two), "all": false,
	}}}, c.events())
	for message, want := range map[int64]string{one: "[read historical]", two: "[read historical]", three: "[]"} {
		found := struct{ Messages []struct{ Flags []string } }{}
		narrow := fmt.Sprintf(`[["stream","shed"],["id","%d"]]`, message)
		mia.Do(http.MethodGet, "/messages", params{"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}).OK().Decode(&found)
		servicetest.Same(t, "flags", want, fmt.Sprint(found.Messages[0].Flags))
	}
}

// Somebody who can't see a stream any more renames single messages there, and no topic.
func TestRenameFromOutside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, mal := w.Person("Ada", actor.Administrator), w.Person("Mal", actor.Member)
	vault := w.stream(ada, "vault", params{"invite_only": true, "principals": ids(ada, mal)})
	message := mal.SendStream("vault", "budget", "x")
	edit(mal, message, params{"topic": "plan", "propagate_mode": "change_all"}).OK()
	leave(mal, "vault")
	later := ada.SendStream("vault", "plan", "y")
	for _, mode := range []string{"change_all", "change_later"} {
		edit(mal, message, params{"topic": "zzz", "propagate_mode": mode}).Fails(400, "BAD_REQUEST", "You don't have permission to edit this message")
	}
	servicetest.Same(t, "the topic", []int64{message, later}, w.topic(vault, "plan"))
	edit(mal, message, params{"topic": "zzz"}).OK()
	servicetest.Same(t, "the topic", []int64{later}, w.topic(vault, "plan"))
}

// Messages that are being sent while their topic is renamed are in one topic or the other, and two moves in opposite
// directions don't deadlock.
func TestMoveAtOnce(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada := w.Person("Ada", actor.Administrator)
	hall, shed := w.stream(ada, "hall", nil), w.stream(ada, "shed", nil)
	one, two := ada.SendStream("hall", "a", "x"), ada.SendStream("shed", "b", "x")
	answers := w.together(hall,
		func() servicetest.Answer { return edit(ada, one, params{"stream_id": shed}) },
		func() servicetest.Answer { return edit(ada, two, params{"stream_id": hall}) },
		func() servicetest.Answer { return edit(ada, one, params{"topic": "c", "propagate_mode": "change_all"}) },
		func() servicetest.Answer { return send(ada, with(toStream("hall"), "topic", "a")) },
	)
	servicetest.Same(t, "statuses", []int{200, 200, 200, 200}, statuses(answers))
	servicetest.Same(t, "where they are", []stored{{&shed, nil, "c", "x", "Test"}, {&hall, nil, "b", "x", "Test"}}, []stored{w.stored(one), w.stored(two)})

	t.Run("who waits for a stream that the message leaves doesn't keep it locked", func(t *testing.T) {
		message := ada.SendStream("shed", "d", "x")
		other, free := storetest.Connect(t, w.DatabaseURL), false
		other.Exec("begin")
		answers := w.together(shed,
			func() servicetest.Answer { return edit(ada, message, params{"stream_id": hall}) },
			func() servicetest.Answer {
				return ada.Do("POST", at(message)+"/reactions", params{"emoji_name": "smile"})
			},
			func() servicetest.Answer {
				other.Exec("select pg_advisory_xact_lock($1)", hall) // until the message is moved
				other.AwaitBlocked(1)                                // the reaction
				free = storetest.Values[bool](other, "select pg_try_advisory_xact_lock($1)", shed)[0]
				other.Exec("commit")
				return servicetest.Answer{Status: 200}
			},
		)
		servicetest.Same(t, "statuses", []int{200, 200, 200}, statuses(answers))
		servicetest.Same(t, "the stream isn't locked", true, free)
	})
}
