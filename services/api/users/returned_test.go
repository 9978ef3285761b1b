package users_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	accounts "chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// returning is an organization in which Ann deactivates and reactivates Mia.
type returning struct {
	*servicetest.World
	ann, eve, gus, mia servicetest.Account
}

func newReturning(t *testing.T) *returning {
	t.Helper()
	w := &returning{World: servicetest.New(t)}
	w.WatchAccounts()
	w.ann, w.mia = w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	w.eve, w.gus = w.Person("Eve", actor.Member), w.Person("Gus", actor.Guest)
	return w
}

// stream subscribes Mia to a new stream and returns it.
func (w *returning) stream(name string, private bool, others ...servicetest.Account) int64 {
	w.T.Helper()
	made := w.mia.NewStream(name, params{"invite_only": private})
	for _, other := range others {
		w.mia.NewStream(name, params{"principals": servicetest.IDs(other)})
	}
	return made
}

func (w *returning) leave()    { w.ann.Do(http.MethodDelete, at(w.mia), nil).OK() }
func (w *returning) comeBack() { w.ann.Do(http.MethodPost, at(w.mia)+"/reactivate", nil).OK() }

func events(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Those who came while an account was deactivated learn its status when it is active again.
func TestReactivatedStatus(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	w.mia.Do(http.MethodPost, "/users/me/status", params{"away": true, "status_text": "on the night shift"}).OK()
	w.leave()
	watch := w.gus.Watch("user_status")
	w.comeBack()
	events(t, "status", watch.Events(), fmt.Sprintf(`{"type":"user_status","user_id":%d,"away":true,"status_text":"on the night shift"}`, w.mia.ID))
}

// They learn its presence, too, with a report of each client at its time.
func TestReactivatedPresence(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	w.mia.Do(http.MethodPost, "/users/me/presence", params{"status": "active"}).OK()
	presences := func() string {
		reply := struct {
			Presences map[string]any `json:"presences"`
		}{}
		w.ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"presence"}}).OK().Decode(&reply)
		mine, _ := reply.Presences[w.mia.RealEmail].(map[string]any)
		delete(mine, "aggregated")
		return fmt.Sprint(mine)
	}
	before := presences()
	w.leave()
	queues := map[string]*servicetest.Queue{"gus": w.gus.Everything(nil)}
	w.comeBack()
	got := []string{}
	for _, e := range w.EventsOf(queues)["gus"] {
		if e["type"] != "presence" {
			continue
		}
		got = append(got, fmt.Sprint(e["user_id"], e["email"], e["presence"]))
	}
	events(t, "presence", got, fmt.Sprint(float64(w.mia.ID), w.mia.RealEmail, before))
	if now := presences(); now != before || !strings.Contains(now, "active") {
		t.Errorf("a registration has %s, before it was %s", now, before)
	}
}

// Bots, and people who are active, have no presence that is needed: it isn't read.
func TestReactivationsWithoutPresence(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	robot := w.Bot("Robot", actor.GenericBot, w.ann)
	options, err := redis.ParseURL(w.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	if err := client.Set(t.Context(), fmt.Sprintf("{o%d}:presence", w.Org.ID), "no hash", 0).Err(); err != nil {
		t.Fatal(err)
	}
	w.ann.Do(http.MethodDelete, fmt.Sprintf("/bots/%d", robot.ID), nil).OK()
	w.ann.Do(http.MethodPost, at(robot)+"/reactivate", nil).OK()
	w.ann.Do(http.MethodPost, at(w.mia)+"/reactivate", nil).OK()
	w.leave()
	w.ann.Do(http.MethodPost, at(w.mia)+"/reactivate", nil).Fails(500, "", "Internal server error")
}

// While an account is activated again and Redis doesn't answer, others can be changed.
func TestReactivationsHoldUpNobody(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	w.leave()
	options, err := redis.ParseURL(w.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	late := lateAnswers{asked: make(chan struct{}, 1), answer: make(chan struct{})}
	client.AddHook(late)
	deps := w.Accounts.Deps
	deps.Presence = presence.NewStore(client)
	who := actor.New(w.Org.ID, actor.Actor{User: w.ann.ID, Role: actor.Administrator})
	done := make(chan error, 1)
	go func() { done <- accounts.New(deps).Reactivate(t.Context(), who, w.mia.ID) }()
	select {
	case <-late.asked:
	case err := <-done:
		t.Fatalf("it has ended without Redis: %v", err)
	}
	changing, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.Accounts.Change(changing, who, w.eve.ID, accounts.Change{Role: new(actor.Guest)}); err != nil {
		t.Error(err)
	}
	close(late.answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// lateAnswers is a hook of a Redis client that reports the first call on asked, and makes calls only when answer is closed.
type lateAnswers struct{ asked, answer chan struct{} }

// DialHook implements [redis.Hook].
func (lateAnswers) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (l lateAnswers) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, call redis.Cmder) error {
		select {
		case l.asked <- struct{}{}:
		default: // the calls that prepare a connection
		}
		<-l.answer
		return next(ctx, call)
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (lateAnswers) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// Those who see the subscribers of its streams learn that it is among them. Streams without another subscriber are gone from
// the list of streams meanwhile.
func TestReactivatedSubscriber(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	valve, hall, attic := w.stream("valve", true, w.eve), w.stream("hall", false, w.gus), w.stream("attic", false)
	vault := w.stream("vault", true) // private, and nobody else's
	all := map[string]*servicetest.Watch{}
	for name, who := range map[string]servicetest.Account{"ann": w.ann, "eve": w.eve, "gus": w.gus} {
		all[name] = who.Watch("stream", "subscription", "realm_user")
	}
	said := func(what string, want map[string][]string) {
		t.Helper()
		for name, watch := range all {
			got := []string{}
			for _, e := range watch.Events() {
				e, _, _ = strings.Cut(e, `,"person":`)
				e, _, _ = strings.Cut(e, `,"description":`)
				got = append(got, e)
			}
			events(t, name+": "+what, got, want[name]...)
		}
	}
	w.leave()
	gone, vacated := `{"type":"realm_user","op":"remove"`, fmt.Sprintf(`{"type":"stream","op":"vacate","streams":[{"stream_id":%d,"name":"attic"`, attic)
	said("left", map[string][]string{"ann": {gone, vacated}, "eve": {gone, vacated}, "gus": {gone}})
	w.comeBack()
	back, occupied := `{"type":"realm_user","op":"add"`, fmt.Sprintf(`{"type":"stream","op":"occupy","streams":[{"stream_id":%d,"name":"attic"`, attic)
	peer := func(stream int64) string {
		return fmt.Sprintf(`{"type":"subscription","op":"peer_add","stream_id":%d,"user_id":%d}`, stream, w.mia.ID)
	}
	said("came back", map[string][]string{
		"ann": {back, peer(valve), peer(hall), occupied, peer(attic), peer(vault)},
		"eve": {back, peer(valve), peer(hall), occupied, peer(attic)},
		"gus": {back, peer(hall)},
	})
}

// What was sent meanwhile isn't theirs: it isn't unread, and where newcomers don't see the history, neither do they.
func TestReactivatedReader(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	streams, sent := []string{"vault", "hall", "attic"}, map[string]int64{}
	attic := int64(0)
	for _, stream := range streams {
		attic = w.stream(stream, stream != "hall", w.eve)
	}
	w.mia.Do(http.MethodPost, "/mark_all_as_read", nil).OK() // notices about the streams
	send := func(when string) {
		for _, stream := range streams {
			sent[stream+" "+when] = w.eve.SendStream(stream, when, "The pumps are "+stream+" "+when)
		}
	}
	send("before")
	w.leave()
	send("meanwhile")
	w.ann.Do(http.MethodDelete, fmt.Sprintf("/streams/%d", attic), nil).OK()
	w.comeBack()
	streams = streams[:2]
	send("after")
	for narrow, want := range map[string]string{
		`[["is","unread"]]`:    "[{vault before []} {hall before []} {vault after []} {hall after []}]",
		`[["stream","hall"]]`:  "[{hall before []} {hall meanwhile [read historical]} {hall after []}]",
		`[["stream","vault"]]`: "[{vault before []} {vault after []}]",
	} {
		reply := struct {
			Messages []struct {
				Stream string `json:"display_recipient"`
				Topic  string `json:"subject"`
				Flags  []string
			}
		}{}
		w.mia.Do(http.MethodGet, "/messages", params{"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow}).OK().Decode(&reply)
		shown := []string{}
		for _, m := range reply.Messages {
			if m.Topic != "stream events" {
				shown = append(shown, fmt.Sprint(m))
			}
		}
		if got := fmt.Sprint(shown); got != want {
			t.Errorf("%s: %s, want %s", narrow, got, want)
		}
	}
	for _, stream := range []string{"vault", "attic"} {
		w.mia.Do(http.MethodGet, fmt.Sprintf("/messages/%d", sent[stream+" meanwhile"]), nil).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	}
}

// A process of the release before may have activated or deactivated an account, with a statement of its own. Nobody loses what was
// received between two absences.
func TestReactivatedByReleaseBefore(t *testing.T) {
	t.Parallel()
	w := newReturning(t)
	for _, name := range []string{"vault", "attic"} {
		w.stream(name, true, w.eve)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	before := func(active bool) {
		db.Exec("update users set active = $2 where user_id = $1", w.mia.ID, active)
		w.Forget(w.mia)
	}
	reads := func(message int64) servicetest.Answer {
		return w.mia.Do(http.MethodGet, fmt.Sprintf("/messages/%d", message), nil)
	}
	w.leave()
	before(true)
	kept, between := w.eve.SendStream("attic", "x", "the pumps run"), w.eve.SendStream("vault", "x", "the valves are shut")
	w.mia.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{"attic"}}).OK()
	w.eve.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": "attic"}}, "principals": servicetest.IDs(w.mia)}).OK()
	reads(kept).OK()

	before(false)
	missed := w.eve.SendStream("vault", "x", "they leak")
	w.comeBack()
	reads(between).OK()
	reads(missed).Fails(400, "BAD_REQUEST", "Invalid message(s)")
}
