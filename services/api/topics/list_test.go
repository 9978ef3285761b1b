package topics_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type topic struct {
	Name  string
	MaxID int64 `json:"max_id"`
}

func list(a servicetest.Account, stream int64) []topic {
	got := struct{ Topics []topic }{}
	a.Do(http.MethodGet, fmt.Sprintf("/users/me/%d/topics", stream), nil).OK().Decode(&got)
	return got.Topics
}

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Administrator)
	guest := w.Account(w.Org, user.Draft{FullName: "Gus", Role: actor.Guest})
	stream := func(name string, private bool) int64 {
		made := ann.NewStream(name, params{"invite_only": private})
		db.Exec("delete from messages where sender_id <> $1", ann.ID)
		return made
	}
	open, closed, empty := stream("open", false), stream("closed", true), stream("empty", false)
	ann.SendStream("open", "valve", "x")
	lamp := ann.SendStream("open", "Lamp", "x")
	valve := ann.SendStream("open", "VALVE", "x")
	ann.SendStream("closed", "early", "x")
	ann.SendStream("closed", "both", "x")
	for _, a := range []servicetest.Account{bob, guest} {
		ann.NewStream("closed", params{"principals": servicetest.IDs(a)})
	}
	both := ann.SendStream("closed", "BOTH", "x")
	bob.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{"closed"}}).OK()
	late := ann.SendStream("closed", "late", "x")

	for what, c := range map[string]struct{ got, want []topic }{
		"merged by case":         {list(ann, open), []topic{{"VALVE", valve}, {"Lamp", lamp}}},
		"public, not subscribed": {list(bob, open), []topic{{"VALVE", valve}, {"Lamp", lamp}}},
		"empty":                  {list(ann, empty), []topic{}},
		"received alone":         {list(guest, closed), []topic{{"late", late}, {"BOTH", both}}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	other := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Eve", Role: actor.Owner})
	for _, c := range []struct {
		who    servicetest.Account
		stream int64
	}{{bob, closed}, {guest, open}, {other, open}, {ann, 987654321}} {
		c.who.Do(http.MethodGet, fmt.Sprintf("/users/me/%d/topics", c.stream), nil).Fails(http.StatusBadRequest, "BAD_REQUEST", "Invalid stream id")
	}
}

// In a stream with many topics, all topics are listed, or those of its newest messages, of which the caller gets the
// ones with received messages.
func TestListMany(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	stream := ann.NewStream("heap", params{"invite_only": true})
	fill := func(from, to int) {
		db.Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, $3::bigint as stream_id, 'topic ' || n as topic
			from generate_series($4::int, $5::int) n`), ann.Org.ID, ann.ID, stream, from, to)
		db.Exec("analyze messages")
	}
	check := func(who servicetest.Account, count int, newest, oldest string) {
		t.Helper()
		got := list(who, stream)
		if len(got) != count || got[0].Name != newest || got[count-1].Name != oldest {
			t.Errorf("%d topics, from %v to %v; want %d, from %s to %s", len(got), got[0], got[len(got)-1], count, newest, oldest)
		}
	}
	db.Exec("delete from messages")
	fill(1, 1100)
	check(ann, 1100, "topic 1100", "topic 1")
	ann.NewStream("heap", params{"principals": servicetest.IDs(bob)})
	db.Exec("update streams set history_public = false where stream_id = $1", stream)
	ann.SendStream("heap", "topic 7", "x")
	check(bob, 1, "topic 7", "topic 7")
	fill(1101, 50_100)
	check(ann, feed.MaxTopics, "topic 50100", "topic 102")
}
