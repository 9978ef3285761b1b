package messages_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func unreact(a servicetest.Account, message int64, p params) servicetest.Answer {
	return a.Do(http.MethodDelete, at(message)+"/reactions", p)
}

// Only the caller's own reaction is removed. The event has the name that it was added with.
func TestUnreact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, eve := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Eve", actor.Member)
	c := w.crowd(ann, map[string]servicetest.Account{"ann": ann, "bob": bob, "eve": eve})
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	message := sent(ann, toStream("hall"))
	react(bob, message, params{"emoji_name": "+1"}).OK()
	react(eve, message, params{"emoji_name": "+1"}).OK()
	c.events()

	unreact(bob, message, params{"emoji_name": "thumbs_up"}).OK()
	event := eventJSON{
		"type": "reaction", "op": "remove", "message_id": float64(message), "user_id": float64(bob.ID),
		"user":       eventJSON{"user_id": float64(bob.ID), "email": bob.RealEmail, "full_name": bob.FullName},
		"emoji_name": "+1", "emoji_code": "1f44d", "reaction_type": "unicode_emoji",
	}
	// Eve isn't subscribed, but has reacted.
	servicetest.Same(t, "events", map[string][]eventJSON{"ann": {event}, "bob": {event}, "eve": {event}}, c.events())
	servicetest.Same(t, "reactions", []int64{int64(eve.ID)}, storetest.Values[int64](w.db, "select user_id from reactions where message_id = $1", message))
	unreact(eve, message, params{"emoji_code": "1f44d"}).OK()
	servicetest.Same(t, "rows of flags", map[int64]int16{int64(eve.ID): 1024}, w.flagged(message))

	react(ann, message, params{"emoji_name": "zulip"}).OK()
	unreact(ann, message, params{"emoji_name": "zulip"}).Fails(400, "BAD_REQUEST", "Reaction doesn't exist.")
	unreact(ann, message, params{"emoji_name": "zulip", "reaction_type": "zulip_extra_emoji"}).OK()
	servicetest.Same(t, "reactions", int64(0), w.number("select count(*) from reactions"))
}

// Errors (rest-api.md, section 2.13).
func TestUnreactFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, guest := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Guest", actor.Guest)
	w.stream(ann, "hall", nil)
	message := sent(ann, toStream("hall"))
	react(bob, message, params{"emoji_name": "+1"}).OK()
	for _, test := range []struct {
		who       servicetest.Account
		p         params
		code, msg string
	}{
		{guest, params{}, "BAD_REQUEST", "Invalid message(s)"},
		{ann, params{}, "BAD_REQUEST", "At least one of the following arguments must be present: emoji_name, emoji_code"},
		{ann, params{"emoji_name": "nonsense"}, "BAD_REQUEST", "Emoji 'nonsense' does not exist"},
		{ann, params{"emoji_name": "+1"}, "BAD_REQUEST", "Reaction doesn't exist."},
		{ann, params{"emoji_name": "smile", "reaction_type": "realm_emoji"}, "BAD_REQUEST", "Reaction doesn't exist."},
	} {
		w.unchanged(t, func() { unreact(test.who, message, test.p).Fails(400, test.code, test.msg) })
	}
}
