package subscription_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chatserver.dev/pkg/id"
)

// flagEvents returns the events about flags since the last call: their content -> their receivers.
func (w *world) flagEvents(t *testing.T) []string {
	t.Helper()
	lines := []string{}
	for _, entry := range w.entries(t) {
		if rest, ok := strings.CutPrefix(entry.Payload, `{"type":"update_message_flags","operation":"add","flag":"read","messages":`); ok {
			lines = append(lines, strings.TrimSuffix(rest, `,"all":false}`)+" -> "+w.audience(entry.Audience))
		}
	}
	return lines
}

// TestWhatIsLeftIsRead: accounts that leave streams, and only they, are notified of the messages there that they
// hadn't read.
func TestWhatIsLeftIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("beta", "gamma", "quiet"), "ann", "bob", "guest"))
	beta := []id.Message{w.send(t, "beta"), w.send(t, "beta"), w.send(t, "beta")}
	gamma := w.send(t, "gamma")
	ann, bob := w.users["ann"].ID, w.users["bob"].ID
	number := w.row(t, "beta").StreamID
	w.sql.Exec("update subscriptions set read_upto = $3 where user_id = $1 and stream_id = $2", bob, number, beta[1])
	w.sql.Exec("insert into unread_again (org_id, user_id, messages) values ($1, $2, int8multirange(int8range($3::bigint, $3::bigint + 1), int8range($4::bigint, $4::bigint + 1)))",
		w.org.ID, bob, beta[0], gamma)
	w.sql.Exec("insert into topic_marks (org_id, user_id, stream_id, topic_key, read) values ($1, $2, $3, 't', int8multirange(int8range($4::bigint, $4::bigint + 1)))",
		w.org.ID, ann, number, beta[1])
	w.events(t)

	if _, err := w.service.Unsubscribe(t.Context(), w.actor("admin"), []string{"beta", "quiet"}, w.principals("ann", "bob")); err != nil {
		t.Fatal(err)
	}
	first, last := fmt.Sprintf("[%d,%d]", beta[0], beta[2]), fmt.Sprintf("[%d]", gamma)
	same(t, "ann and bob leave", []string{first + " -> ann bob"}, w.flagEvents(t))
	w.unsubscribe(t, "guest", "beta")
	same(t, "the guest leaves", []string{fmt.Sprintf("[%d,%d,%d] -> guest", beta[0], beta[1], beta[2])}, w.flagEvents(t))
	// After subscribing again, these messages aren't unread, but those in other streams still are.
	w.subscribe(t, "ann", w.with(wanted("beta"), "ann", "bob"))
	w.unsubscribe(t, "ann", "beta")
	same(t, "ann leaves again", []string{}, w.flagEvents(t))
	w.unsubscribe(t, "bob", "gamma")
	same(t, "bob leaves the other one", []string{last + " -> bob"}, w.flagEvents(t))
}

// TestLeavingInOrder: an account that leaves a stream is notified of that, then of the messages that are read by it, and
// then the others are.
func TestLeavingInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("beta"), "ann", "bob"))
	w.send(t, "beta")
	w.entries(t)
	w.unsubscribe(t, "ann", "beta")
	kinds := []string{}
	for _, entry := range expanded(t, w.entries(t)) {
		e := recorded{}
		if err := json.Unmarshal([]byte(entry.Payload), &e); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, strings.TrimSuffix(e.Type+"/"+e.Op, "/"))
	}
	same(t, "events", []string{"subscription/remove", "update_message_flags", "subscription/peer_remove"}, kinds)
}

// TestEndedStreamsAreRead checks the same for all subscribers of a deactivated stream.
func TestEndedStreamsAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("beta"), "ann", "bob"))
	w.subscribe(t, "ann", private(wanted("vault")))
	first := w.send(t, "beta")
	secret := w.send(t, "vault")
	w.subscribe(t, "ann", w.with(wanted("beta"), "guest"))
	last := w.send(t, "beta")
	w.events(t)
	if err := w.streams.Deactivate(t.Context(), w.actor("admin"), w.row(t, "beta").StreamID); err != nil {
		t.Fatal(err)
	}
	same(t, "deactivated", []string{
		fmt.Sprintf("[%d,%d] -> ann bob", first, last), fmt.Sprintf("[%d] -> guest", last),
	}, w.flagEvents(t))
	w.unsubscribe(t, "ann", "vault")
	same(t, "a private stream is left by the last one", []string{fmt.Sprintf("[%d] -> ann", secret)}, w.flagEvents(t))
}
