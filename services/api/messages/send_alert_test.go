package messages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// alert adds alert words of a user.
func alert(a servicetest.Account, words ...string) {
	a.Do(http.MethodPost, "/users/me/alert_words", params{"alert_words": words}).OK()
}

// flagRow is a row of message_flags.
type flagRow struct {
	User  int64
	Flags int16
}

// Copies of a message are flagged for receivers with an alert word in it (events.md, section 4.3), in the event and
// in the database.
func TestSendAlertWords(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ann, bob, eve := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest), w.Person("Eve", actor.Member)
	robot, spare := w.Bot("Robot", actor.GenericBot, ann), w.Bot("Spare", actor.GenericBot, ann)
	abroad := w.Account(w.NewOrg("other"), user.Draft{FullName: "Far", Role: actor.Member})
	for _, a := range []servicetest.Account{ann, bob, eve, robot, spare, abroad} {
		alert(a, "Pump")
	}
	alert(bob, "on call")
	// The actors of senders are cached with their first call, which must come after these words.
	sender, mate := w.Person("Sender", actor.Member), w.Person("Mate", actor.Member)
	w.stream(sender, "hall", params{"principals": ids(sender, ann, bob, robot)})
	queues := map[string]*servicetest.Queue{
		"ann": messagesOf(ann, nil), "bob": messagesOf(bob, nil), "robot": messagesOf(robot, nil), "sender": messagesOf(sender, nil),
		"eve wide": messagesOf(eve, params{"all_public_streams": true}), "spare": messagesOf(spare, nil), "mate": messagesOf(mate, nil),
		"alerted": messagesOf(bob, params{"narrow": [][]string{{"is", "alerted"}}}),
	}
	const word, mentioned, delivered = 512, 8, 2048
	for _, c := range []struct {
		name    string
		message params
		want    map[string]string
		rows    []flagRow
	}{
		{
			"in a stream", with(toStream("hall"), "content", "the *pump*, please"),
			map[string]string{"ann": "has_alert_word", "bob": "has_alert_word", "robot": "has_alert_word", "sender": "", "eve wide": "", "alerted": "has_alert_word"},
			[]flagRow{{int64(ann.ID), word}, {int64(bob.ID), word}, {int64(robot.ID), word}},
		},
		{
			"with mentions", with(toStream("hall"), "content", "@**Bob** @**Spare** @**Eve** is ON CALL. Pump!"),
			map[string]string{
				"ann": "has_alert_word", "bob": "mentioned has_alert_word", "robot": "has_alert_word", "sender": "", "eve wide": "",
				"alerted": "mentioned has_alert_word", "spare": "mentioned has_alert_word",
			},
			[]flagRow{{int64(ann.ID), word}, {int64(bob.ID), word | mentioned}, {int64(robot.ID), word}, {int64(spare.ID), word | mentioned | delivered}},
		},
		{
			"not quite", with(toStream("hall"), "content", "pumps, on-call"),
			map[string]string{"ann": "", "bob": "", "robot": "", "sender": "", "eve wide": ""},
			[]flagRow{},
		},
		{
			"in the topic alone", with(toStream("hall"), "topic", "pump"),
			map[string]string{"ann": "", "bob": "", "robot": "", "sender": "", "eve wide": ""},
			[]flagRow{},
		},
		{
			"private", with(toPeople(ids(bob, mate)), "content", "pump"),
			map[string]string{"bob": "has_alert_word", "mate": "", "sender": "", "alerted": "has_alert_word"},
			[]flagRow{{int64(bob.ID), word}},
		},
	} {
		message := sent(sender, c.message)
		servicetest.Same(t, c.name+": rows", c.rows, storetest.Rows[flagRow](w.db,
			"select user_id, flags from message_flags where message_id = $1 order by user_id", message))
		end := sent(sender, with(toPeople(ids(ann, bob, eve, robot, spare, mate)), "content", "on call"))
		got := map[string]string{}
		for name, q := range queues {
			for _, e := range w.before(q, end) {
				got[name] = strings.Join(e.Flags, " ")
			}
		}
		servicetest.Same(t, c.name, c.want, got)
	}
	testbed.Until(t, "the account's own word counts", func() bool {
		message := sent(ann, with(toStream("hall"), "content", "my own pump"))
		return w.number("select count(*) from message_flags where message_id = $1 and user_id = $2", message, ann.ID) == 1
	})
}

// Changed words take effect, also for callers that were cached before, as soon as their actors are renewed. Removed
// words have no effect then.
func TestSendAlertWordsChange(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	alerted := func() bool {
		message := sent(ann, with(toStream("hall"), "content", "the pump"))
		return w.number("select count(*) from message_flags where message_id = $1", message) == 1
	}
	until := func(want bool) {
		t.Helper()
		testbed.Until(t, "the change shows", func() bool { return alerted() == want })
	}
	if alerted() {
		t.Fatal("no account has a word")
	}
	alert(bob, "the PUMP")
	until(true)
	bob.Do(http.MethodDelete, "/users/me/alert_words", params{"alert_words": []string{"The pump"}}).OK()
	until(false)
}
