package messages_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

const keyUsed = "This Idempotency-Key belongs to another message, which was sent with it within a day: use another key for each message"

// A client that received no response sends the same request again, with the same key: there is one message.
func TestSendOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	hall := w.stream(ann, "hall", nil)
	count := func() int64 { return w.number("select count(*) from messages where content <> 'it is new'") }
	before := count()
	ann.IdempotencyKey, bob.IdempotencyKey = "7f3a", "7f3a"
	q := messagesOf(ann, nil)

	send(ann, toStream("cellar")).Fails(400, "STREAM_DOES_NOT_EXIST", "Stream 'cellar' does not exist")
	first := sent(ann, toStream("hall")) // the key wasn't used, as nothing was sent
	servicetest.Same(t, "the message of a repeated request", first, sent(ann, toStream("hall")))
	servicetest.Same(t, "events", 1, len(q.Poll())+len(q.Pending()))
	send(ann, with(toStream("hall"), "content", "it is dry")).Fails(400, "BAD_REQUEST", keyUsed)
	if sent(bob, toStream("hall")) == first {
		t.Error("another account has the same message")
	}
	w.deactivate(hall)
	servicetest.Same(t, "the message in a stream that is gone by now", first, sent(ann, toStream("hall")))

	ann.IdempotencyKey = strings.Repeat("k", 100)
	private := sent(ann, toPeople([]string{bob.RealEmail}))
	servicetest.Same(t, "the private message", private, sent(ann, toPeople([]string{bob.RealEmail})))
	w.db.Exec("update idempotency_keys set used_at = now() - interval '25 hours'")
	ann.IdempotencyKey = "another"
	sent(ann, toPeople([]string{bob.RealEmail}))
	servicetest.Same(t, "Ann's keys after a day", int64(1), w.number("select count(*) from idempotency_keys where sender_id = $1", ann.ID))
	servicetest.Same(t, "messages", before+4, count())
	ann.IdempotencyKey += strings.Repeat("k", 100)
	send(ann, toStream("hall")).Fails(400, "BAD_REQUEST", "Idempotency-Key is too long (limit: 100 characters; sent: 107)")
}

// Of two requests at the same time with the same key, one sends, and both have its message. If they are for different messages, the other one is
// refused.
func TestSendOnceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	before := w.number("select count(*) from messages")
	ann.IdempotencyKey = "now"
	w.db.Exec("begin")
	w.db.Exec("lock table idempotency_keys in share mode") // each has found no message before
	answers := make(chan servicetest.Answer, 2)
	for range 2 {
		go func() { answers <- send(ann, toStream("hall")) }()
	}
	w.db.AwaitBlocked(2)
	w.db.Exec("commit")
	ids := [2]struct{ ID int64 }{}
	for i := range ids {
		(<-answers).OK().Decode(&ids[i])
	}
	if ids[0] != ids[1] || ids[0].ID == 0 {
		t.Errorf("messages %v", ids)
	}
	servicetest.Same(t, "messages", before+1, w.number("select count(*) from messages"))

	ann.IdempotencyKey = "for two"
	w.db.Exec("begin")
	w.db.Exec("lock table idempotency_keys in share mode")
	for _, content := range []string{"it is dry", "it is wet"} {
		go func() { answers <- send(ann, with(toStream("hall"), "content", content)) }()
	}
	w.db.AwaitBlocked(2)
	w.db.Exec("commit")
	one, other := <-answers, <-answers
	if one.Status != 200 {
		one, other = other, one
	}
	one.OK()
	other.Fails(400, "BAD_REQUEST", keyUsed)
	servicetest.Same(t, "messages", before+2, w.number("select count(*) from messages"))

	ann.IdempotencyKey = "then"
	reminder := later("send_later", nil)
	servicetest.Same(t, "the time", send(ann, reminder).OK().Body, send(ann, reminder).OK().Body)
	servicetest.Same(t, "scheduled messages", int64(1), w.number("select count(*) from scheduled_messages"))
}
