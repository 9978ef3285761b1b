package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	bob := w.Account(w.org(), user.Draft{FullName: "Bob", Role: actor.Member})
	guest := w.Account(w.org(), user.Draft{FullName: "Gus", Role: actor.Guest})
	queues := map[string]*servicetest.Queue{"bob": bob.Everything(nil), "guest": guest.Everything(nil)}
	spec := adminapi.StreamSpec{Name: new("alerts"), Description: new("Firing\nalerts"), Default: new(true), PostPolicy: new(1), RetentionDays: new(30)}
	ensured := must(w.Streams(key).Put(t.Context(), "team/alerts", spec))(t)
	want := adminapi.Stream{
		ID: ensured.State.ID, Key: "team/alerts", Name: "alerts", Description: "Firing alerts", HistoryPublic: true, PostPolicy: 1,
		RetentionDays: 30, Default: true, Active: true,
	}
	if diff := cmp.Diff(want, ensured.State); diff != "" || !ensured.Created {
		t.Errorf("created: %v (-want +got):\n%s", ensured.Created, diff)
	}
	kinds := func() map[string][]string {
		got := map[string][]string{}
		for who, events := range w.EventsOf(queues) {
			for _, e := range events {
				words := []string{e["type"].(string)}
				for _, name := range []string{"op", "property"} {
					if text, ok := e[name].(string); ok {
						words = append(words, text)
					}
				}
				got[who] = append(got[who], strings.Join(words, " "))
			}
		}
		return got
	}
	if diff := cmp.Diff(map[string][]string{"bob": {"stream create", "default_streams"}}, kinds()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	changed(w.Streams(key).Put(t.Context(), "team/alerts", spec))(t)
	changed(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{}))(t)
	if got := kinds(); len(got) > 0 {
		t.Errorf("the same again sent %v", got)
	}

	// After changes by people, only the named fields are corrected.
	bob.Subscribe("alerts")
	person := ada.Actor(w.org(), nil)
	change := stream.Change{Name: new("sirens"), Description: new("loud"), PostPolicy: new(permit.PostAdmins)}
	if err := w.World.Streams.Change(t.Context(), person, id.Stream(want.ID), change); err != nil {
		t.Fatal(err)
	}
	kinds()
	state := changed(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{Name: new("alerts"), PostPolicy: new(1)}))(t, "name", "post_policy")
	if state.Description != "loud" || state.ID != want.ID {
		t.Errorf("it is %+v", state)
	}
	received := []string{"stream update email_address", "stream update name", "stream update stream_post_policy", "stream update is_announcement_only"}
	if diff := cmp.Diff(map[string][]string{"bob": append(received, "message")}, kinds()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}

	// Private, without the server being subscribed, and back.
	private := adminapi.StreamSpec{Private: new(true), Default: new(false)}
	changed(w.Streams(key).Put(t.Context(), "team/alerts", private))(t, "private", "history_public", "default")
	changed(w.Streams(key).Put(t.Context(), "team/alerts", private))(t)
	changed(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{HistoryPublic: new(true)}))(t, "history_public")
	state = changed(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{Private: new(false), RetentionDays: new(0)}))(t, "private", "retention_days")
	if diff := cmp.Diff(state, must(w.Streams(key).Get(t.Context(), "team/alerts"))(t)); diff != "" || state.RetentionDays != 0 || !state.HistoryPublic {
		t.Errorf("%+v (-put +got):\n%s", state, diff)
	}

	// After it was archived by a person, a new stream is created in its place.
	if err := w.World.Streams.Deactivate(t.Context(), person, id.Stream(want.ID)); err != nil {
		t.Fatal(err)
	}
	if must(w.Streams(key).Get(t.Context(), "team/alerts"))(t).Active {
		t.Error("the stream is still active")
	}
	again := must(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{PostPolicy: new(3)}))(t)
	if !again.Created || again.State.ID == want.ID || again.State.Name != "alerts" || again.State.PostPolicy != 3 || again.State.Description != "loud" {
		t.Errorf("it came back as %+v", again)
	}
	// If people have created one of its name meanwhile, that may be taken over.
	if err := w.World.Streams.Deactivate(t.Context(), person, id.Stream(again.State.ID)); err != nil {
		t.Fatal(err)
	}
	ada.Subscribe("alerts")
	fails(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{}))(t, 400, "ALREADY_EXISTS", "The stream 'alerts' already exists; set adopt to take it over.")
	state = changed(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{Adopt: true, PostPolicy: new(2)}))(t, "post_policy", "key")
	if state.ID == again.State.ID || state.Name != "alerts" || !state.Active {
		t.Errorf("it is %+v", state)
	}
	changed(w.Streams(key).Put(t.Context(), "team/alerts", adminapi.StreamSpec{Name: new("alerts")}))(t)
	for _, removed := range []bool{true, false} {
		if got := must(w.Streams(key).Delete(t.Context(), "team/alerts"))(t); got.Removed != removed {
			t.Errorf("removed: %v, want %v", got.Removed, removed)
		}
	}
	fails(w.Streams(key).Get(t.Context(), "team/alerts"))(t, 404, "NOT_FOUND", "There is no stream with the key 'team/alerts'.")
}

// Changes of a stream and of the default streams at the same time wait for each other: no private stream becomes a
// default one, and the last event has the current list.
func TestStreamBesideDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	watch := ada.Watch("default_streams")
	all := sync.WaitGroup{}
	for n := range 10 {
		name := fmt.Sprintf("stream %d", n)
		made := must(w.Streams(key).Put(t.Context(), name, adminapi.StreamSpec{Name: &name}))(t)
		all.Go(func() { ada.Do(http.MethodPost, "/default_streams", servicetest.Params{"stream_id": made.State.ID}) }) // or it is private by then
		all.Go(func() {
			_, _ = w.Streams(key).Put(t.Context(), name, adminapi.StreamSpec{Private: new(true)}) // or it is newcomers' by then
		})
		all.Go(func() {
			if _, err := w.Streams(key).Put(t.Context(), name, adminapi.StreamSpec{Name: new(name + " renamed")}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	type list []struct {
		ID         id.Stream `json:"stream_id"`
		InviteOnly bool      `json:"invite_only"`
	}
	last, now := struct {
		Streams list `json:"default_streams"`
	}{}, struct {
		Streams list `json:"realm_default_streams"`
	}{}
	for _, raw := range watch.Events() {
		last.Streams = nil
		if err := json.Unmarshal([]byte(raw), &last); err != nil {
			t.Fatal(err)
		}
	}
	ada.Do(http.MethodPost, "/register", servicetest.Params{"fetch_event_types": []string{"default_streams"}}).OK().Decode(&now)
	if diff := cmp.Diff(now.Streams, last.Streams); len(last.Streams) > 0 && diff != "" {
		t.Errorf("streams of newcomers (-now +the last event):\n%s", diff)
	}
	for _, s := range now.Streams {
		if s.InviteOnly {
			t.Errorf("newcomers are subscribed to a private stream, %d", s.ID)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	ada.Subscribe("hall")
	must(w.Streams(key).Put(t.Context(), "kept", adminapi.StreamSpec{Name: new("kept")}))(t)
	for _, test := range []struct {
		key       string
		spec      adminapi.StreamSpec
		code, msg string
	}{
		{"new", adminapi.StreamSpec{}, "REQUEST_VARIABLE_MISSING", "Missing 'name' argument"},
		{"new", adminapi.StreamSpec{Name: new(" ")}, "BAD_REQUEST", "Invalid stream name ''"},
		{"new", adminapi.StreamSpec{Name: new("HALL")}, "ALREADY_EXISTS", "The stream 'HALL' already exists; set adopt to take it over."},
		{"new", adminapi.StreamSpec{Name: new("kept"), Adopt: true}, "ALREADY_KEPT", "The stream 'kept' is managed under the key 'kept'."},
		{"new", adminapi.StreamSpec{Name: new("x"), PostPolicy: new(4)}, "BAD_REQUEST", "post_policy must be 1, 2 or 3."},
		{"new", adminapi.StreamSpec{Name: new("x"), RetentionDays: new(-2)}, "BAD_REQUEST", "retention_days must be -1, 0 or more."},
		{"new", adminapi.StreamSpec{Name: new("x"), Private: new(true), Default: new(true)}, "BAD_REQUEST", "A private stream can't be a default stream."},
		{"kept", adminapi.StreamSpec{Name: new("hall")}, "BAD_REQUEST", "Stream name 'hall' is already taken."},
		{"\x01", adminapi.StreamSpec{Name: new("x")}, "BAD_REQUEST", "A key must have 1 to 200 characters, without control characters, and must not be '.' or '..'."},
	} {
		fails(w.Streams(key).Put(t.Context(), test.key, test.spec))(t, 400, test.code, test.msg)
	}
	fails(w.Streams("nobody").Put(t.Context(), "k", adminapi.StreamSpec{Name: new("x")}))(t, 404, "NOT_FOUND",
		"There is no organization with the key 'nobody'.")
	state := changed(w.Streams(key).Put(t.Context(), "new", adminapi.StreamSpec{Name: new("Hall"), Adopt: true}))(t, "name", "key")
	if state.Name != "Hall" || !state.Active {
		t.Errorf("adopted %+v", state)
	}
}
