package bounds_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// endBound is what one transaction of the end of a stream may do.
var endBound = bound{events: 20, bytes: 20_000, rows: 200}

// gone fails the test unless a stream has ended for everybody, once.
func (w *world) gone(stream int64) {
	w.t.Helper()
	ended := storetest.Values[int64](w.sql, `select (m ->> 'user')::bigint from event_log,
		jsonb_array_elements(change::jsonb -> 'unsubscribed') m where id > $1 and type = 'stream' order by 1`, w.since)
	if diff := cmp.Diff(slices.Sorted(slices.Values(append(slices.Clone(w.people), int64(w.ada.ID)))), ended); diff != "" {
		w.t.Errorf("whose subscriptions ended in the log (-want +got):\n%s", diff)
	}
	if events := storetest.Values[int64](w.sql, `select count(*) from event_log where id > $1 and type = 'stream' and payload like '%"delete"%'`, w.since)[0]; events != 1 {
		w.t.Errorf("%d events for people who are still subscribed, want 1", events)
	}
	left := storetest.Values[int64](w.sql, `select count(*) from subscriptions where stream_id = $1 and (active or upper_inf(received)
		or read_upto < (select max(message_id) from messages where stream_id = $1))`, stream)[0]
	if left != 0 {
		w.t.Errorf("%d subscriptions are left, or something is unread there", left)
	}
}

// A stream of many people ends in short transactions, and is gone for everybody with the first one.
func TestLargeStreamEnds(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, 450)
	hall := w.crowded(20)
	ann := w.Person("Ann", actor.Guest)
	w.people = append(w.people, int64(ann.ID))
	w.sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select $1, $2, $3, '#fff', int8multirange(int8range(0, null))`, w.Org.ID, hall, ann.ID)
	queue := ann.Everything(nil)
	w.look()
	w.ada.Do(http.MethodDelete, fmt.Sprintf("/streams/%d", hall), nil).OK()
	w.holds("the end of a stream", endBound)
	w.gone(hall)
	events := []string{}
	for _, e := range w.EventsOf(map[string]*servicetest.Queue{"ann": queue})["ann"] {
		op, _ := e["op"].(string)
		kind, _ := e["type"].(string)
		events = append(events, kind+"/"+op)
	}
	if diff := cmp.Diff([]string{"stream/delete", "update_message_flags/"}, events); diff != "" {
		t.Errorf("events of the last subscriber (-want +got):\n%s", diff)
	}
}

// The end of a stream whose process stops between two steps is completed by another one.
func TestLargeStreamEndIsContinued(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, 450)
	hall := w.crowded(5)
	w.look()
	w.sql.Exec("select pg_advisory_lock(4, hashint8(1))") // whoever does the second step waits for it
	ctx, die := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- w.Streams.Deactivate(ctx, w.actor(), id.Stream(hall)) }()
	testbed.Until(t, "the first step has left something to do", func() bool {
		return storetest.Values[int64](w.sql, "select count(*) from changes")[0] > 0
	})
	die()
	if err := <-result; err == nil {
		t.Fatal("the change wasn't stopped")
	}
	w.sql.Exec("select pg_advisory_unlock(4, hashint8(1))")

	// For clients the stream is gone, though most are still subscribed.
	if left := storetest.Values[int64](w.sql, "select count(*) from subscriptions where stream_id = $1 and active", hall)[0]; left != 431 {
		t.Errorf("%d subscriptions are left after the first step", left)
	}
	last := w.Existing(w.Org, id.User(w.people[len(w.people)-1]), "")
	list, err := w.Subscriptions.List(t.Context(), actor.New(w.Org.ID, actor.Actor{User: last.ID, Role: actor.Member}), false)
	if err != nil || len(list) != 0 {
		t.Errorf("subscriptions of the last one: %v, %v", list, err)
	}
	w.ada.Do("POST", "/users/me/subscriptions", params{"subscriptions": []params{{"name": "hall"}}}).OK() // the name is free

	w.Resume()
	w.gone(hall)
}
