package bounds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// subscribeBound is what one transaction that changes subscriptions may do.
var subscribeBound = bound{events: 150, bytes: 100_000, rows: 100}

const ownSubscriptions = "/users/me/subscriptions"

func wanted(names ...string) []params {
	list := make([]params, len(names))
	for i, name := range names {
		list[i] = params{"name": name}
	}
	return list
}

func numbered(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s %02d", prefix, i)
	}
	return list
}

// Many streams are made, joined and left in short transactions, and the notification bot announces all of them at once.
func TestManyStreamsAtOnce(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, 25)
	old, fresh := numbered("old", 14), numbered("new", 26)
	w.ada.Do("POST", ownSubscriptions, params{"subscriptions": wanted(append(old, "general chat")...)}).OK()
	general := storetest.Values[int64](w.sql, "select stream_id from streams where name = 'general chat'")[0]
	w.sql.Exec("update organizations set settings = settings || jsonb_build_object('notifications_stream_id', $1::bigint) where org_id = $2", general, w.Org.ID)

	names := slices.Concat(fresh[:20], old, fresh[20:], []string{strings.ToUpper(fresh[0])})
	whom := append(slices.Clone(w.people), int64(w.ada.ID))
	answer := struct {
		Subscribed map[string][]string `json:"subscribed"`
		Already    map[string][]string `json:"already_subscribed"`
	}{}
	w.look()
	w.ada.Do("POST", ownSubscriptions, params{"subscriptions": wanted(names...), "principals": whom, "announce": true}).OK().Decode(&answer)
	w.holds("40 streams for 26 people", subscribeBound)
	if diff := cmp.Diff(names[:40], answer.Subscribed["p7@chat.example"]); diff != "" {
		t.Errorf("somebody's new subscriptions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{slices.Concat(fresh[:20], fresh[20:]), old},
		[][]string{answer.Subscribed[w.ada.RealEmail], answer.Already[w.ada.RealEmail]}); diff != "" {
		t.Errorf("Ada's new and old subscriptions (-want +got):\n%s", diff)
	}
	// One message announces the new streams, and everybody who was added to the old ones gets another about those.
	said := storetest.Values[string](w.sql, `select content from messages where content like '%following streams%' and stream_id is not null`)
	if len(said) != 1 || strings.Count(said[0], "#**new") != 26 {
		t.Errorf("announced: %q", said)
	}
	events := storetest.Values[string](w.sql, `select content from messages where conversation_id is not null`)
	if len(events) != 25 || strings.Count(events[0], "#**old") != 14 || strings.Contains(events[0], "#**new") {
		t.Errorf("%d people were notified: %q", len(events), events[:min(1, len(events))])
	}

	w.look()
	w.ada.Do("DELETE", ownSubscriptions, params{"subscriptions": names[:40], "principals": whom}).OK()
	w.holds("leaving 40 streams", subscribeBound)
	if left := storetest.Values[int64](w.sql, "select count(*) from subscriptions where active")[0]; left != 1 {
		t.Errorf("%d subscriptions are left", left)
	}
	w.look()
	w.ada.Do("PATCH", ownSubscriptions, params{"add": wanted(names[:23]...), "delete": []string{"general chat"}}).OK()
	w.holds("joining and leaving", subscribeBound)
	if left := storetest.Values[int64](w.sql, "select count(*) from subscriptions where active")[0]; left != 23 {
		t.Errorf("%d subscriptions, want 23", left)
	}
}

// If a check fails for any of the streams, nothing changes.
func TestManyStreamsAreCheckedFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	bob := w.Person("Bob", actor.Member)
	w.ada.Do("POST", ownSubscriptions, params{"subscriptions": wanted("vault"), "invite_only": true}).OK()
	w.look()
	bob.Do("POST", ownSubscriptions, params{"subscriptions": wanted(append(numbered("new", 30), "vault")...)}).
		Fails(400, "", "Unable to access stream (vault).")
	bob.Do("PATCH", ownSubscriptions, params{"add": wanted(numbered("new", 30)...), "delete": []string{"nowhere"}}).
		Fails(400, "BAD_REQUEST", "Stream(s) (nowhere) do not exist")
	w.holds("what fails", bound{})
	if n := storetest.Values[int64](w.sql, "select count(*) from streams where name like 'new%'")[0]; n != 0 {
		t.Errorf("%d streams were made", n)
	}
}
