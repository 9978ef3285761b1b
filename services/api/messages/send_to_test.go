package messages_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// The rows of rest-api.md, section 2.2.1, for streams.
func TestSendToStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	denmark := w.stream(ann, "Denmark", nil)
	number := w.stream(ann, "12", nil)
	for _, test := range []struct {
		to   any
		want int64
	}{
		{"Denmark", denmark},
		{"denMARK", denmark},
		{" Denmark ", denmark},
		{`"Denmark"`, denmark},
		{`["Denmark"]`, denmark},
		{` ["Denmark"] `, denmark},
		{[]int64{denmark}, denmark},
		{denmark, denmark},
		{`"12"`, number},
		{`["12"]`, number},
	} {
		servicetest.Same(t, fmt.Sprintf("the stream of %v", test.to), &test.want, w.stored(sent(ann, toStream(test.to))).Stream)
	}
	for _, test := range []struct{ to, code, msg string }{
		{"12", "STREAM_DOES_NOT_EXIST", "Stream with ID '12' does not exist"},
		{"0", "STREAM_DOES_NOT_EXIST", "Stream with ID '0' does not exist"},
		{"-3", "STREAM_DOES_NOT_EXIST", "Stream with ID '-3' does not exist"},
		{"[]", "BAD_REQUEST", "Expected exactly one stream"},
		{`["Denmark","12"]`, "BAD_REQUEST", "Expected exactly one stream"},
		{`{"Denmark":1}`, "BAD_REQUEST", "Invalid data type for stream"},
		{"1.5", "BAD_REQUEST", "Invalid data type for stream"},
		{"99999999999999999999", "BAD_REQUEST", "Invalid data type for stream"},
		{"null", "BAD_REQUEST", "Invalid data type for stream"},
		{"true", "BAD_REQUEST", "Invalid data type for stream"},
		{"[null]", "BAD_REQUEST", "Invalid data type for stream"},
		{"", "BAD_REQUEST", "Invalid stream name ''"},
		{`"Denmark`, "STREAM_DOES_NOT_EXIST", `Stream '"Denmark' does not exist`},
		{`"Denmark" "12"`, "STREAM_DOES_NOT_EXIST", `Stream '"Denmark" "12"' does not exist`},
	} {
		w.unchanged(t, func() { send(ann, toStream(test.to)).Fails(400, test.code, test.msg) })
	}
}

// The same for people, and the conversations that are created.
func TestSendToPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cem := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cem", actor.Member)
	pair, group := ids(ann, bob), ids(ann, bob, cem)
	b, c := bob.ID.String(), cem.ID.String()
	conversations := map[string]int64{}
	for _, test := range []struct {
		to   any
		want []int64
	}{
		{ids(bob, cem), group},
		{ids(cem, bob, bob), group},
		{"[" + c + "," + b + "," + c + "]", group},
		{ids(ann, bob, cem), group},
		{[]string{bob.RealEmail, cem.RealEmail}, group},
		{[]string{" BOB@chat.example ", cem.RealEmail, bob.RealEmail}, group},
		{"bob@chat.example,cem@chat.example", group},
		{" bob@chat.example , ,cem@chat.example,BOB@chat.example", group},
		{`"bob@chat.example,cem@chat.example"`, group},
		{ids(bob), pair},
		{ids(ann, bob), pair},
		{"bob@chat.example", pair},
		{ids(ann), ids(ann)},
		{"ann@chat.example", ids(ann)},
	} {
		message := sent(ann, toPeople(test.to))
		servicetest.Same(t, fmt.Sprintf("the participants of %v", test.to), test.want, w.members(message))
		key := fmt.Sprint(test.want)
		conversation := *w.stored(message).Conversation
		if before, ok := conversations[key]; ok && before != conversation {
			t.Errorf("%v is another conversation than before", test.to)
		}
		conversations[key] = conversation
	}
	if back := *w.stored(sent(bob, toPeople(ids(ann)))).Conversation; back != conversations[fmt.Sprint(pair)] {
		t.Error("the answer is in another conversation")
	}
	servicetest.Same(t, "the conversations", int64(3), w.number("select count(*) from conversations"))
	servicetest.Same(t, "the members of conversations", int64(6), w.number("select count(*) from conversation_members"))

	const mixed = "Recipient lists may contain emails or user IDs, but not both."
	for _, test := range []struct{ to, msg string }{
		{"[]", "Message must have recipients"},
		{"", "Message must have recipients"},
		{" , ", "Message must have recipients"},
		{b, "Invalid data type for recipients"},
		{`{"id":` + b + "}", "Invalid data type for recipients"},
		{"null", "Invalid data type for recipients"},
		{"[true]", "Invalid data type for recipients"},
		{"[1.5]", "Invalid data type for recipients"},
		{"[null]", "Invalid data type for recipients"},
		{"[[" + b + "]]", "Invalid data type for recipients"},
		{"[" + b + `,"cem@chat.example"]`, mixed},
		{`["cem@chat.example",` + b + "]", mixed},
		{"[" + b + ",null]", mixed},
		{`["cem@chat.example",1.5]`, mixed},
		{"[" + b + ",999999]", "Invalid user ID 999999"},
		{"[0]", "Invalid user ID 0"},
		{"[-1]", "Invalid user ID -1"},
		{"bob@chat.example,none@chat.example", "Invalid email 'none@chat.example'"},
		{`["none@chat.example"]`, "Invalid email 'none@chat.example'"},
		{`[""]`, "Invalid email ''"},
		{`["bob@chat.example\u0000"]`, "Invalid email 'bob@chat.example\x00'"},
		{"bob@chat.example\x00", "Invalid email 'bob@chat.example\x00'"},
		{"Bob", "Invalid email 'Bob'"},
	} {
		w.unchanged(t, func() { send(ann, toPeople(test.to)).Fails(400, "BAD_REQUEST", test.msg) })
	}
	w.unchanged(t, func() {
		send(ann, with(toPeople("x"), "to", nil)).Fails(400, "BAD_REQUEST", "Message must have recipients")
	})
}
