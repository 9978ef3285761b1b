package messages_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func react(a servicetest.Account, message int64, p params) servicetest.Answer {
	return a.Do(http.MethodPost, at(message)+"/reactions", p)
}

// The receivers of events of reactions (events.md, section 3.6).
func TestReact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, former, late := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest), w.Person("Former", actor.Member), w.Person("Late", actor.Guest)
	eve, robot := w.Person("Eve", actor.Member), w.Bot("Robot", actor.GenericBot, ann)
	c := w.crowd(ann, map[string]servicetest.Account{"ann": ann, "bob": bob, "former": former, "late": late, "eve": eve, "robot": robot})
	w.stream(ann, "hall", params{"principals": ids(ann, bob, former)})
	message := sent(ann, toStream("hall"))
	leave(former, "hall")
	ann.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": "hall"}}, "principals": ids(late)}).OK()
	c.events()

	event := func(op string, by servicetest.Account, name string) eventJSON {
		return eventJSON{
			"type": "reaction", "op": op, "message_id": float64(message), "user_id": float64(by.ID),
			"user":       eventJSON{"user_id": float64(by.ID), "email": by.RealEmail, "full_name": by.FullName},
			"emoji_name": name, "emoji_code": "1f44d", "reaction_type": "unicode_emoji",
		}
	}
	everyone := func(e eventJSON) map[string][]eventJSON {
		return map[string][]eventJSON{"ann": {e}, "bob": {e}, "former": {e}, "late": {e}}
	}
	react(bob, message, params{"emoji_name": "+1"}).OK()
	servicetest.Same(t, "events", everyone(event("add", bob, "+1")), c.events())
	servicetest.Same(t, "rows of flags", map[int64]int16{}, w.flagged(message))

	// A vote gets the name of the existing reaction, whatever name it is sent with.
	react(eve, message, params{"emoji_name": "nonsense", "emoji_code": "1f44d", "reaction_type": "unicode_emoji"}).OK()
	want := everyone(event("add", eve, "+1"))
	want["eve"] = want["ann"]
	servicetest.Same(t, "events of a vote", want, c.events())
	servicetest.Same(t, "rows of flags", map[int64]int16{int64(eve.ID): 1024}, w.flagged(message))
	react(robot, message, params{"emoji_name": "thumbs_up"}).OK()
	servicetest.Same(t, "rows of flags", map[int64]int16{int64(eve.ID): 1024, int64(robot.ID): 1024}, w.flagged(message))
	servicetest.Same(t, "events for who reacted before", event("add", robot, "+1"), c.events()["eve"][0])

	react(ann, message, params{"emoji_name": "cat", "emoji_code": "1f408", "reaction_type": "unicode_emoji"}).OK()
	react(ann, message, params{"emoji_name": "one", "emoji_code": "0031-20e3", "reaction_type": "unicode_emoji"}).OK()
	servicetest.Same(t, "what has been put on", []string{"+1", "cat", "one"}, storetest.Values[string](w.db,
		"select distinct emoji_name from reactions where message_id = $1 order by 1", message))
	react(ann, message, params{"emoji_name": "zulip"}).OK()
	servicetest.Same(t, "the extra emoji", []string{"zulip_extra_emoji/zulip"}, storetest.Values[string](w.db,
		"select reaction_type || '/' || emoji_code from reactions where user_id = $1 and reaction_type <> 'unicode_emoji'", ann.ID))

	private := sent(ann, toPeople(ids(bob)))
	c.events()
	react(bob, private, params{"emoji_name": "smile"}).OK()
	events := c.events()
	servicetest.Same(t, "who gets the event of one to a private message", []int{1, 1, 2}, []int{len(events["ann"]), len(events["bob"]), len(events)})
}

// Errors of reactions (rest-api.md, section 2.13).
func TestReactFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, guest := w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest)
	foreign := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Owner})
	w.stream(ann, "hall", nil)
	message := sent(ann, toStream("hall"))
	react(ann, message, params{"emoji_name": "smile"}).OK()
	for _, test := range []struct {
		who       servicetest.Account
		p         params
		code, msg string
	}{
		{ann, params{}, "REQUEST_VARIABLE_MISSING", "Missing 'emoji_name' argument"},
		{guest, params{"emoji_name": "nonsense"}, "BAD_REQUEST", "Invalid message(s)"},
		{foreign, params{"emoji_name": "+1"}, "BAD_REQUEST", "Invalid message(s)"},
		{ann, params{"emoji_name": "nonsense"}, "BAD_REQUEST", "Emoji 'nonsense' does not exist"},
		{ann, params{"emoji_name": "nonsense", "emoji_code": "1f44d"}, "BAD_REQUEST", "Emoji 'nonsense' does not exist"},
		{ann, params{"emoji_name": "smile"}, "BAD_REQUEST", "Reaction already exists."},
		{ann, params{"emoji_name": "1", "emoji_code": "1", "reaction_type": "realm_emoji"}, "BAD_REQUEST", "Invalid custom emoji."},
		{ann, params{"emoji_name": "+1", "emoji_code": "zzz", "reaction_type": "unicode_emoji"}, "BAD_REQUEST", "Invalid emoji code."},
		{ann, params{"emoji_name": "tada", "emoji_code": "1f44d", "reaction_type": "unicode_emoji"}, "BAD_REQUEST", "Invalid emoji name."},
		{ann, params{"emoji_name": "+1", "emoji_code": "1f44d", "reaction_type": "zulip_extra_emoji"}, "BAD_REQUEST", "Invalid emoji code."},
		{ann, params{"emoji_name": "+1", "emoji_code": "zulip", "reaction_type": "zulip_extra_emoji"}, "BAD_REQUEST", "Invalid emoji name."},
		{ann, params{"emoji_name": "+1", "emoji_code": "1f44d", "reaction_type": "other"}, "BAD_REQUEST", "Invalid emoji type."},
	} {
		w.unchanged(t, func() { react(test.who, message, test.p).Fails(400, test.code, test.msg) })
	}
	react(ann, 1<<40, params{"emoji_name": "+1"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
}

// Of two equal concurrent reactions, one succeeds.
func TestReactAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	hall := w.stream(ann, "hall", nil)
	message := sent(ann, toStream("hall"))
	answers := w.together(hall,
		func() servicetest.Answer { return react(ann, message, params{"emoji_name": "+1"}) },
		func() servicetest.Answer { return react(ann, message, params{"emoji_name": "+1"}) },
		func() servicetest.Answer { return react(bob, message, params{"emoji_name": "thumbs_up"}) },
	)
	counted := map[int]int{}
	for _, status := range statuses(answers) {
		counted[status]++
	}
	servicetest.Same(t, "statuses", map[int]int{200: 2, 400: 1}, counted)
	servicetest.Same(t, "names", int64(1), w.number("select count(distinct emoji_name) from reactions where message_id = $1", message))
}
