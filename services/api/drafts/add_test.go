package drafts_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/draft"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A server that can't look up the people of a draft doesn't answer that they don't exist.
func TestPeopleUnreadable(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("begin")
	sql.Exec("lock table users in access exclusive mode")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		who := actor.New(w.Org.ID, actor.Actor{User: ann.ID, Role: actor.Member})
		_, err := draft.New(w.DB, time.Now).Add(ctx, who, []draft.Draft{{Type: "private", To: []int64{int64(bob.ID)}, Content: "hello"}})
		failed <- err
	}()
	sql.AwaitBlocked(1)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	sql.Exec("rollback")
}

// Drafts that are refused aren't stored, nor are others of the same call.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	bob.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": []object{{"name": "secret"}}, "invite_only": true}).OK()
	hall, secret := ann.StreamID("hall"), bob.StreamID("secret")
	good := object{"type": "stream", "to": []any{hall}, "topic": "t", "content": "x"}
	kept := add(ann, good)
	people := make([]int, 301)
	for _, c := range []struct {
		change object
		msg    string
	}{
		{object{"content": "a\x00"}, "Content must not contain null bytes"},
		{object{"content": strings.Repeat("ä", 5001)}, "Message is too long: it has 10002 bytes, the limit is 10000"},
		{object{"topic": "a\x00"}, "Topic must not contain null bytes"},
		{object{"topic": strings.Repeat("ä", 61)}, "Topic is too long: it has 61 characters, the limit is 60"},
		{object{"to": []any{}}, "Must specify exactly 1 stream ID for stream messages"},
		{object{"to": []any{hall, hall}}, "Must specify exactly 1 stream ID for stream messages"},
		{object{"to": []any{0}}, "Invalid stream id"},
		{object{"to": []any{secret}}, "Invalid stream id"},
		{object{"type": "private", "to": []any{ann.ID, 987654}}, "Invalid user ID 987654"},
		{object{"type": "private", "to": people}, "Too many recipients: the request has 301, the limit is 300."},
		{object{"timestamp": -0.5}, "Timestamp must not be negative."},
		{object{"timestamp": 1e300}, "Timestamp must be before the year 10000."},
	} {
		bad := object{}
		for _, members := range []object{good, c.change} {
			for name, value := range members {
				bad[name] = value
			}
		}
		ann.Do(http.MethodPost, "/drafts", params{"drafts": []object{good, bad}}).Fails(http.StatusBadRequest, "BAD_REQUEST", c.msg)
		ann.Do(http.MethodPatch, path(kept[0]), params{"draft": bad}).Fails(http.StatusBadRequest, "BAD_REQUEST", c.msg)
	}
	for bad, msg := range map[string]string{
		`[{}]`: "type key is missing from drafts[0]",
		`[{"type":"huddle","to":[],"topic":"","content":"x"}]`:                                          "Invalid drafts[0][\"type\"]",
		`[{"type":"","to":[],"topic":"","content":"x","color":1}]`:                                      "Unexpected arguments: color",
		`[{"type":"","to":[],"topic":"","content":"x"},{"type":"","to":[],"topic":"","content":"\n "}]`: `drafts[1]["content"] cannot be blank.`,
		`[{"type":"","to":["x"],"topic":"","content":"x"}]`:                                             `drafts[0]["to"][0] is not an integer`,
		`[{"type":"","to":[],"topic":"","content":"x","timestamp":"soon"}]`:                             `drafts[0]["timestamp"] is not a float`,
		`{}`: "drafts is not a list",
	} {
		ann.Do(http.MethodPost, "/drafts", params{"drafts": bad}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
	}
	ann.Do(http.MethodPatch, path(kept[0]), params{"draft": text("")}).Fails(http.StatusBadRequest, "BAD_REQUEST", `draft["content"] cannot be blank.`)
	servicetest.Same(t, "number of drafts", 1, len(list(ann)))
}

// An account has at most a hundred drafts, also if they are stored at the same time.
func TestMost(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	// The largest draft: its content is escaped in responses.
	largest := text(strings.Repeat("\x01", 10_000))
	many := make([]object, draft.Max+1)
	for i := range many {
		many[i] = text("x")
	}
	const refused = "Too many drafts (limit: 100)"
	ann.Do(http.MethodPost, "/drafts", params{"drafts": many}).Fails(http.StatusBadRequest, "BAD_REQUEST", refused)
	add(ann, many[:draft.Max-3]...)
	group := sync.WaitGroup{}
	statuses := make([]int, 8)
	for i := range statuses {
		group.Go(func() { statuses[i] = ann.Do(http.MethodPost, "/drafts", params{"drafts": []object{largest}}).Status })
	}
	group.Wait()
	stored := 0
	for _, status := range statuses {
		if status == http.StatusOK {
			stored++
		}
	}
	servicetest.Same(t, "drafts stored at once", 3, stored)
	servicetest.Same(t, "number of drafts", draft.Max, len(list(ann)))
}
