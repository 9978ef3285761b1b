package state_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// send sends a private message.
func send(from servicetest.Account, content string, to ...id.User) float64 {
	sent := struct{ ID float64 }{}
	from.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": to, "content": content}).OK().Decode(&sent)
	return sent.ID
}

// Messages are unread for their recipients. The clients of these tests are scripts, so this includes the sender.
func TestMessages(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob, cid := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cid", actor.Member)
	eve := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})
	ann.Subscribe("boilers")
	bob.Subscribe("boilers")
	eve.Subscribe("boilers")
	exec(t, w, `update subscriptions set read_upto = (select max(message_id) from messages)`) // notices of new streams
	before := float64(ann.SendStream("boilers", "valve 3", "it leaks, @**Bob**"))
	eve.SendStream("boilers", "valve 3", "elsewhere")
	cid.Subscribe("boilers")
	quiet := float64(bob.SendStream("boilers", "Noise", "@**all** hello"))
	note := send(ann, "note to self", ann.ID)
	pair := send(ann, "hi", bob.ID)
	group := send(cid, "all of you", ann.ID, bob.ID)
	boilers := fetch(ann, "stream")["streams"].([]any)[0].(map[string]any)["stream_id"]
	exec(t, w, `insert into muted_topics (org_id, user_id, stream_id, topic, muted_at) values ($1, $2, $3, 'noise', to_timestamp(1700000000))`,
		w.Org.ID, bob.ID, boilers)
	exec(t, w, `insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, $3, 2)`, w.Org.ID, bob.ID, pair)
	members := fmt.Sprintf("%d,%d,%d", ann.ID, bob.ID, cid.ID)
	topic := func(name string, message, sender any) any {
		return map[string]any{"stream_id": boilers, "topic": name, "unread_message_ids": []any{message}, "sender_ids": []any{sender}}
	}
	huddles := []any{map[string]any{"user_ids_string": members, "unread_message_ids": []any{group}}}
	with := func(other id.User, message any) any {
		return map[string]any{"sender_id": number(other), "unread_message_ids": []any{message}}
	}
	talk := func(message any, others ...any) any {
		return map[string]any{"user_ids": append([]any{}, others...), "max_message_id": message}
	}
	for _, viewer := range []struct {
		servicetest.Account
		want map[string]any
	}{
		{ann, map[string]any{
			"unread_msgs": map[string]any{
				"streams": []any{topic("Noise", quiet, number(bob.ID)), topic("valve 3", before, number(ann.ID))}, "huddles": huddles,
				"pms": []any{with(ann.ID, note), with(bob.ID, pair)}, "mentions": []any{quiet}, "count": 5.0,
			},
			"recent_private_conversations": []any{talk(group, number(bob.ID), number(cid.ID)), talk(pair, number(bob.ID)), talk(note)},
			"max_message_id":               group, "starred_messages": []any{}, "muted_topics": []any{},
		}},
		{bob, map[string]any{
			"unread_msgs": map[string]any{
				"streams": []any{topic("Noise", quiet, number(bob.ID)), topic("valve 3", before, number(ann.ID))}, "huddles": huddles,
				"pms": []any{with(ann.ID, pair)}, "mentions": []any{before}, "count": 3.0,
			},
			"recent_private_conversations": []any{talk(group, number(ann.ID), number(cid.ID)), talk(pair, number(ann.ID))},
			"max_message_id":               group, "starred_messages": []any{pair}, "muted_topics": []any{[]any{boilers, "noise", 1700000000.0}},
		}},
		{cid, map[string]any{
			"unread_msgs": map[string]any{
				"streams": []any{topic("Noise", quiet, number(bob.ID))}, "huddles": huddles, "pms": []any{}, "mentions": []any{quiet}, "count": 2.0,
			},
			"recent_private_conversations": []any{talk(group, number(ann.ID), number(bob.ID))},
			"max_message_id":               group, "starred_messages": []any{}, "muted_topics": []any{},
		}},
	} {
		got := fetch(viewer.Account, "message", "update_message_flags", "recent_private_conversations", "starred_messages", "muted_topics")
		servicetest.Same(t, viewer.FullName, viewer.want, only(got, slices.Collect(maps.Keys(viewer.want))...))
	}
	theirs := fetch(eve, "message", "update_message_flags")["unread_msgs"].(map[string]any)
	servicetest.Same(t, "the other organization", any(1.0), theirs["count"])
}
