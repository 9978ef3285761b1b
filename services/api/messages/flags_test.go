package messages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// flags changes a flag and checks that the response repeats the list.
func (w *world) flags(a servicetest.Account, op, flag string, messages ...int64) {
	w.T.Helper()
	list, err := json.Marshal(messages)
	if err != nil {
		w.T.Fatal(err)
	}
	got := a.Do(http.MethodPost, "/messages/flags", params{"messages": messages, "op": op, "flag": flag}).OK().Body
	if want := fmt.Sprintf(`{"result":"success","msg":"","messages":%s}`+"\n", list); got != want {
		w.T.Errorf("answer %s, want %s", got, want)
	}
}

// kept returns the flags in the database for an account, by message.
func (w *world) kept(a servicetest.Account) []string {
	w.T.Helper()
	return storetest.Values[string](w.db, `select message_id || ':' || flags from message_flags where user_id = $1 order by message_id`, a.ID)
}

func TestSetFlagsRead(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	r.flags(r.ann, "add", "read", r.note, r.pump, 987654321, r.pump)
	servicetest.Same(t, "unread", []int64{r.valve, r.valveToo, r.secret}, unread(r.ann))
	r.flags(r.ann, "remove", "read", r.pump)
	servicetest.Same(t, "unread with one again", []int64{r.valve, r.pump, r.valveToo, r.secret}, unread(r.ann))
	r.flags(r.ann, "add", "read", r.valve, r.pump, r.valveToo, r.secret)
	servicetest.Same(t, "unread when all is read", []int64{}, unread(r.ann))
	r.flags(r.ann, "remove", "read", r.valve, r.note)
	servicetest.Same(t, "unread below the marks", []int64{r.valve, r.note}, unread(r.ann))
	servicetest.Same(t, "rows of ranges", int64(0), r.number("select count(*) from topic_marks"))
	r.checkEvents(
		t, flagEvent("add", "read", r.note, r.pump, 987654321, r.pump), flagEvent("remove", "read", r.pump),
		flagEvent("add", "read", r.valve, r.pump, r.valveToo, r.secret), flagEvent("remove", "read", r.valve, r.note),
	)
}

func TestSetFlagsKept(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	r.flags(r.ann, "add", "starred", r.pump, r.note)
	r.flags(r.ann, "add", "collapsed", r.pump)
	servicetest.Same(t, "flags", []string{fmt.Sprintf("%d:6", r.pump), fmt.Sprintf("%d:2", r.note)}, r.kept(r.ann))
	r.flags(r.ann, "remove", "starred", r.pump, r.note, r.valve)
	servicetest.Same(t, "flags", []string{fmt.Sprintf("%d:4", r.pump)}, r.kept(r.ann))
	r.flags(r.ann, "remove", "collapsed", r.pump)
	servicetest.Same(t, "flags", []string{}, r.kept(r.ann))
	servicetest.Same(t, "unread", []int64{r.valve, r.pump, r.valveToo, r.secret, r.note}, unread(r.ann))
	r.checkEvents(
		t, flagEvent("add", "starred", r.pump, r.note), flagEvent("add", "collapsed", r.pump),
		flagEvent("remove", "starred", r.pump, r.note, r.valve), flagEvent("remove", "collapsed", r.pump),
	)
}

// A message that an account hasn't received is added to its messages when the account stars it, as read.
func TestSetFlagsHistory(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	stranger := r.Person("Stranger", actor.Member)
	r.flags(stranger, "remove", "starred", r.valve)
	servicetest.Same(t, "flags of what nobody starred", []string{}, r.kept(stranger))
	r.flags(stranger, "add", "starred", r.valve)
	historical := []string{fmt.Sprintf("%d:1026", r.valve)}
	servicetest.Same(t, "flags", historical, r.kept(stranger))
	r.flags(stranger, "add", "starred", r.valve, r.pump) // the other one is ignored
	servicetest.Same(t, "flags", historical, r.kept(stranger))
	r.flags(stranger, "remove", "read", r.valve)
	servicetest.Same(t, "unread", []int64{}, unread(stranger))
	r.flags(stranger, "remove", "starred", r.valve)
	servicetest.Same(t, "flags of what stays history", []string{fmt.Sprintf("%d:1024", r.valve)}, r.kept(stranger))
}

// A bot that is mentioned where it isn't subscribed has the message like those that are: it is unread until the bot marks it.
func TestSetFlagsOfMentionedBot(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	robot := r.Bot("Robot", actor.GenericBot, r.ann)
	mention := r.bob.SendStream("hall", "valves", "@**Robot** it leaks")
	has := func(what, flags string, unread ...int64) {
		t.Helper()
		reply := struct {
			Messages []struct {
				ID    int64    `json:"id"`
				Flags []string `json:"flags"`
			} `json:"messages"`
		}{}
		robot.Do(http.MethodGet, "/messages", params{"anchor": mention, "num_before": 0, "num_after": 0}).OK().Decode(&reply)
		if len(reply.Messages) != 1 || fmt.Sprint(reply.Messages[0].Flags) != flags {
			t.Errorf("%s: %+v, want the flags %s", what, reply.Messages, flags)
		}
		robot.Do(http.MethodGet, "/messages", params{
			"anchor": "oldest", "num_before": 0, "num_after": 9, "narrow": [][]string{{"is", "unread"}, {"stream", "hall"}},
		}).OK().Decode(&reply)
		got := []int64{}
		for _, m := range reply.Messages {
			got = append(got, m.ID)
		}
		servicetest.Same(t, what+": unread", append([]int64{}, unread...), got)
	}
	has("at first", "[mentioned]", mention)
	r.flags(robot, "add", "read", mention)
	has("marked", "[read mentioned]")
	r.flags(robot, "remove", "read", mention)
	has("unread again", "[mentioned]", mention)
	robot.Do(http.MethodPost, "/mark_all_as_read", nil).OK()
	has("all marked", "[read mentioned]")
	r.flags(robot, "remove", "read", mention)
	has("unread below the mark", "[mentioned]", mention)
	edit(r.bob, mention, params{"content": "it leaks"}).OK()
	has("not mentioned any more", "[]", mention)
	robot.Do(http.MethodPost, fmt.Sprintf("/messages/%d/reactions", r.pump), params{"emoji_name": "gear"}).OK()
	has("with history", "[]", mention)
}

func TestSetFlagsRefuses(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	stranger := r.Person("Stranger", actor.Member)
	all := func(messages []int64, op, flag string) params {
		return params{"messages": messages, "op": op, "flag": flag}
	}
	one := []int64{r.valve}
	for _, test := range []struct {
		who       servicetest.Account
		params    params
		code, msg string
	}{
		{r.ann, all(one, "add", "blinking"), "BAD_REQUEST", "Invalid flag: 'blinking'"},
		{r.ann, all(one, "add", "is_private"), "BAD_REQUEST", "Invalid flag: 'is_private'"},
		{r.ann, all(one, "add", "active_mobile_push_notification"), "BAD_REQUEST", "Invalid flag: 'active_mobile_push_notification'"},
		{r.ann, all(one, "add", "mentioned"), "BAD_REQUEST", "Flag not editable: 'mentioned'"},
		{r.ann, all(one, "remove", "wildcard_mentioned"), "BAD_REQUEST", "Flag not editable: 'wildcard_mentioned'"},
		{r.ann, all(one, "add", "has_alert_word"), "BAD_REQUEST", "Flag not editable: 'has_alert_word'"},
		{r.ann, all(one, "add", "historical"), "BAD_REQUEST", "Flag not editable: 'historical'"},
		{r.ann, all(one, "add", "force_expand"), "BAD_REQUEST", "Flag not editable: 'force_expand'"},
		{r.ann, all(one, "toggle", "read"), "BAD_REQUEST", "Invalid op"},
		{r.ann, all([]int64{}, "add", "read"), "BAD_REQUEST", "Invalid message(s)"},
		{r.ann, all([]int64{987654321}, "add", "starred"), "BAD_REQUEST", "Invalid message(s)"},
		{r.ann, all(many(inbox.MaxMessages+1), "add", "read"), "BAD_REQUEST", "Too many messages: the request has 5001, the limit is 5000."},
		{r.ann, all(many(inbox.MaxMessages), "add", "read"), "BAD_REQUEST", "Invalid message(s)"},
		{stranger, all(one, "add", "read"), "BAD_REQUEST", "Invalid message(s)"},
		{stranger, all(one, "remove", "read"), "BAD_REQUEST", "Invalid message(s)"},
		{stranger, all(one, "add", "collapsed"), "BAD_REQUEST", "Invalid message(s)"},
		{stranger, all([]int64{r.valve, r.pump}, "add", "starred"), "BAD_REQUEST", "Invalid message(s)"},
		{stranger, all([]int64{r.note}, "add", "starred"), "BAD_REQUEST", "Invalid message(s)"},
		{stranger, all([]int64{r.secret}, "add", "starred"), "BAD_REQUEST", "Invalid message(s)"},
		{r.guest, all(one, "add", "starred"), "BAD_REQUEST", "Invalid message(s)"},
		{r.ann, params{"op": "add", "flag": "read"}, "REQUEST_VARIABLE_MISSING", "Missing 'messages' argument"},
		{r.ann, params{"messages": one, "flag": "read"}, "REQUEST_VARIABLE_MISSING", "Missing 'op' argument"},
		{r.ann, params{"messages": one, "op": "add"}, "REQUEST_VARIABLE_MISSING", "Missing 'flag' argument"},
		{r.ann, params{"messages": `["x"]`, "op": "add", "flag": "read"}, "BAD_REQUEST", "messages[0] is not an integer"},
	} {
		r.unchanged(t, func() {
			test.who.Do(http.MethodPost, "/messages/flags", test.params).Fails(http.StatusBadRequest, test.code, test.msg)
		})
	}
}
