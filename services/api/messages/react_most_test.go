package messages_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/feed"
)

// Each reader of a message gets all of its reactions, so their number is limited.
func TestReactMost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", nil)
	message := sent(ann, toStream("hall"))
	fill := func(by int64, first, last int) {
		w.db.Exec(`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
			select $1, $2, $3, 'unicode_emoji', 'code ' || i, 'name' from generate_series($4::int, $5::int) i`, w.Org.ID, message, by, first, last)
	}
	fill(int64(ann.ID), 1, 49)
	react(ann, message, params{"emoji_name": "+1"}).OK()
	react(ann, message, params{"emoji_name": "smile"}).Fails(400, "BAD_REQUEST", "You have put 50 emoji on this message, which is the limit.")
	react(bob, message, params{"emoji_name": "+1"}).OK()
	fill(int64(ann.ID), 50, 9_998)
	react(bob, message, params{"emoji_name": "smile"}).Fails(400, "BAD_REQUEST", "The message has too many reactions: there is no room for another one.")

	// The message alone exceeds the size that is read without a reservation, and is read with one.
	request := feed.Request{Anchor: feed.Anchor(message), Bytes: feed.SmallPage}
	for bytes, want := range map[int]int{feed.SmallPage: 0, feed.PageBytes: 1} {
		request.Bytes = bytes
		page, err := w.Feed.Fetch(t.Context(), actor.New(w.Org.ID, actor.Actor{User: ann.ID, Role: actor.Member}), request)
		if err != nil || len(page.Messages) != want || page.Cut != (want == 0) {
			t.Errorf("%d messages in %d bytes, cut %v, error %v", len(page.Messages), bytes, page.Cut, err)
		}
	}
	answer := fetch(ann, params{"anchor": message, "num_before": 0, "num_after": 0})
	if len(answer.Messages) != 1 {
		t.Fatalf("%d messages", len(answer.Messages))
	}
	if reactions, ok := answer.Messages[0]["reactions"].([]any); !ok || len(reactions) != 10_000 {
		t.Errorf("%d reactions", len(reactions))
	}
}
