package subscription_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/testbed"
)

// TestObjects checks the form of a subscription in responses.
func TestObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("turbine"), "ann", "guest"))
	list := func(withSubscribers bool) string {
		found, err := w.service.List(t.Context(), w.actor("ann"), withSubscribers)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(found)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	without := `[{"stream_id":1,"name":"turbine","description":"","rendered_description":"","invite_only":false,` +
		`"is_web_public":false,"stream_post_policy":1,"history_public_to_subscribers":true,"first_message_id":null,` +
		`"message_retention_days":null,"is_announcement_only":false,"color":"#76ce90","is_muted":false,"in_home_view":true,` +
		`"pin_to_top":false,"desktop_notifications":null,"audible_notifications":null,"push_notifications":null,` +
		`"email_notifications":null,"wildcard_mentions_notify":null,"email_address":"","stream_weekly_traffic":null}]`
	same(t, "without subscribers", without, list(false))
	same(t, "with subscribers", strings.Replace(without, "}]", `,"subscribers":[4,6]}]`, 1), list(true))

	for _, e := range w.payloads(t) {
		if strings.Contains(e, `"op":"add"`) {
			got, err := event.Decode([]byte(e)).Append(nil, event.Form{}, event.Copy{ID: 7, User: w.users["ann"].ID})
			if err != nil {
				t.Fatal(err)
			}
			want := `{"id":7,"type":"subscription","op":"add","subscriptions":` + strings.Replace(without, "}]", `,"subscribers":[4,6]}]}`, 1)
			same(t, "event", ordered(t, want), ordered(t, string(got)))
		}
	}
}

// ordered returns JSON with sorted members, because their order doesn't matter to clients.
func ordered(t *testing.T, text string) string {
	t.Helper()
	value := any(nil)
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

func (w *world) payloads(t *testing.T) []string {
	t.Helper()
	payloads := []string{}
	for _, entry := range w.entries(t) {
		payloads = append(payloads, entry.Payload)
	}
	return payloads
}

func TestListIsSortedAndActive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", wanted("b", "a", "Z", "ä", "left", "gone"))
	w.unsubscribe(t, "ann", "left")
	if err := w.streams.Deactivate(t.Context(), w.actor("owner"), w.row(t, "gone").StreamID); err != nil {
		t.Fatal(err)
	}
	found, err := w.service.List(t.Context(), w.actor("ann"), false)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", []string{"Z", "a", "b", "ä"}, names(found))
}

func names(list []event.Subscription) []string {
	names := []string{}
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

func TestWeeklyTraffic(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, nil)
	const day = 24 * time.Hour
	w.subscribe(t, "ann", wanted("empty", "one", "many"))
	w.send(t, "one")
	for range 205 {
		w.send(t, "many")
	}
	made := w.row(t, "many").CreatedAt // a moment before the first message
	for _, test := range []struct {
		age              time.Duration
		empty, one, many int // -1: null
	}{
		{7*day - time.Second, -1, -1, -1},
		{7 * day, 0, 1, 200},             // 205, halves to even
		{20 * day, 0, 1, 71},             // 1435/20
		{28*day - time.Second, 0, 1, 53}, // 1435/27
		{28 * day, 0, 1, 51},             // 205/4
		{29 * day, 0, 0, 0},              // nothing is recent
	} {
		w.clock.Set(made.Add(test.age))
		found, err := w.service.List(t.Context(), w.actor("ann"), false)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, s := range found {
			got[s.Name] = -1
			if s.WeeklyTraffic != nil {
				got[s.Name] = *s.WeeklyTraffic
			}
		}
		never := map[string]int{}
		for _, s := range w.state(t, "bob", subscription.StateOptions{}).NeverSubscribed {
			never[s.Name] = -1
			if s.WeeklyTraffic != nil {
				never[s.Name] = *s.WeeklyTraffic
			}
		}
		want := map[string]int{"empty": test.empty, "one": test.one, "many": test.many}
		same(t, test.age.String(), want, got)
		same(t, test.age.String()+", never subscribed", want, never)
	}
}

// TestTrafficIsCountedOnceAnHour sends messages to a stream whose messages have just been counted.
func TestTrafficIsCountedOnceAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", wanted("busy"))
	w.subscribe(t, "bob", wanted("other"))
	start := w.row(t, "busy").CreatedAt.Add(20 * 24 * time.Hour)
	traffic := func(who string) int {
		t.Helper()
		found, err := w.service.List(t.Context(), w.actor(who), false)
		if err != nil || len(found) != 1 || found[0].WeeklyTraffic == nil {
			t.Fatalf("%s's list: %v, error %v", who, found, err)
		}
		return *found[0].WeeklyTraffic
	}
	w.clock.Set(start)
	same(t, "without messages", 0, traffic("ann"))
	w.send(t, "busy")
	w.send(t, "other")
	w.clock.Set(start.Add(time.Hour - time.Second))
	same(t, "within an hour", 0, traffic("ann"))
	same(t, "a stream that nobody asked for", 1, traffic("bob"))
	w.clock.Set(start.Add(time.Hour))
	same(t, "after an hour", 1, traffic("ann"))
}

func TestState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("open", "left"), "ann", "bob", "guest", "robot"))
	w.subscribe(t, "ann", private(w.with(wanted("vault", "private left"), "ann", "bob", "guest")))
	w.subscribe(t, "ann", wanted("anns"))
	w.subscribe(t, "ann", wanted("empty"))
	w.unsubscribe(t, "ann", "empty")
	w.subscribe(t, "bob", wanted("gone"))
	if err := w.streams.Deactivate(t.Context(), w.actor("owner"), w.row(t, "gone").StreamID); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bob", "guest"} {
		w.unsubscribe(t, name, "left", "private left")
	}
	type lists struct{ Subscribed, Unsubscribed, Never []string }
	for who, want := range map[string]lists{
		"bob":   {[]string{"open[ann bob guest robot]", "vault[ann bob guest]"}, []string{"left[ann robot]", "private left"}, []string{"anns[ann]", "empty[]"}},
		"robot": {[]string{"left[ann robot]", "open[ann bob guest robot]"}, nil, []string{"anns[ann]", "empty[]"}},
		"admin": {nil, nil, []string{
			"anns[ann]", "empty[]", "left[ann robot]", "open[ann bob guest robot]", "private left[ann]", "vault[ann bob guest]",
		}},
		"guest": {[]string{"open[ann bob guest robot]", "vault[ann bob guest]"}, []string{"left", "private left"}, nil},
	} {
		state := w.state(t, who, subscription.StateOptions{Subscribers: true})
		got := lists{w.described(state.Subscribed), w.described(state.Unsubscribed), nil}
		for _, s := range state.NeverSubscribed {
			got.Never = append(got.Never, w.described([]event.Subscription{{Stream: s.Stream, Subscribers: s.Subscribers}})...)
		}
		same(t, who, want, got)
	}
	for _, s := range w.state(t, "bob", subscription.StateOptions{}).NeverSubscribed {
		if s.Subscribers != nil {
			t.Errorf("%q has subscribers, which weren't requested", s.Name)
		}
	}
}

func TestStateInherits(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", wanted("a", "b"))
	w.unsubscribe(t, "ann", "b")
	yes, no := true, false
	type settings struct{ Desktop, Audible, Push, Email, Wildcard *bool }
	for _, test := range []struct {
		inherit *subscription.Inherited
		want    settings
	}{
		{nil, settings{}},
		{&subscription.Inherited{Desktop: true, Push: true}, settings{&yes, &no, &yes, &no, nil}},
		{&subscription.Inherited{Audible: true, Email: true}, settings{&no, &yes, &no, &yes, nil}},
	} {
		state := w.state(t, "ann", subscription.StateOptions{Inherit: test.inherit})
		for _, s := range slices.Concat(state.Subscribed, state.Unsubscribed) {
			got := settings{s.DesktopNotifications, s.AudibleNotifications, s.PushNotifications, s.EmailNotifications, s.WildcardMentionsNotify}
			same(t, s.Name, test.want, got)
		}
	}
}

func (w *world) state(t *testing.T, who string, options subscription.StateOptions) subscription.State {
	t.Helper()
	state := subscription.State{}
	err := w.db.Snapshot(t.Context(), w.org.ID, func(tx *store.Tx, _ store.Snapshot) (err error) {
		state, err = w.service.State(t.Context(), tx, w.actor(who), options)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// described returns names with their subscribers, if these are known.
func (w *world) described(list []event.Subscription) []string {
	described := []string(nil)
	for _, s := range list {
		text := s.Name
		if s.Subscribers != nil {
			text += "[" + strings.Join(w.names(s.Subscribers), " ") + "]"
		}
		described = append(described, text)
	}
	return described
}

func TestStreamState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("b", "A"), "ann", "guest"))
	w.subscribe(t, "ann", private(wanted("vault")))
	w.subscribe(t, "ann", wanted("empty", "c"))
	w.unsubscribe(t, "ann", "empty")
	w.write(t, func(tx *store.Tx) error { return tx.SetDefaultStream(t.Context(), true, w.row(t, "empty").StreamID) })
	for who, want := range map[string][2][]string{
		"ann":   {{"A", "b", "c", "vault"}, {"empty"}},
		"admin": {{"A", "b", "c"}, {"empty"}},
		"guest": {{"A", "b"}, {}},
	} {
		got := [2][]string{{}, {}}
		w.write(t, func(tx *store.Tx) error {
			state, err := stream.ReadState(t.Context(), tx, w.actor(who))
			for _, s := range state.Streams {
				got[0] = append(got[0], s.Name)
			}
			for _, s := range state.Defaults {
				got[1] = append(got[1], s.Name)
			}
			return err
		})
		same(t, who, want, got)
	}
}
