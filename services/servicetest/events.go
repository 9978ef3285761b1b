package servicetest

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
)

// marker is an event for all accounts, of a type that only tests use.
type marker struct {
	Name string `json:"name"`
}

func (marker) Kind() event.Kind         { return event.Kind{Type: "marker"} }
func (marker) Audience() event.Audience { return event.Audience{Everyone: true} }

// mark emits a marker to the account's organization and returns its name.
func (a Account) mark() string {
	a.world.T.Helper()
	last, ctx := marker{rand.Text()}, a.world.T.Context()
	a.world.must(a.world.DB.Write(ctx, a.Org.ID, func(tx *store.Tx) error { return tx.Emit(ctx, last) }))
	return last.Name
}

// EventsOf returns the events that queues have received since they were last read, as clients receive them but without
// ids. The queues must be for all types of events, and of accounts of one organization. The result has all events of
// operations before the call, and no others.
func (w *World) EventsOf(queues map[string]*Queue) map[string][]map[string]any {
	w.T.Helper()
	events, last := map[string][]map[string]any{}, ""
	for name, q := range queues {
		if last == "" {
			last = q.client.mark()
		}
		q.until(last, func(_ string, raw json.RawMessage) {
			e := map[string]any{}
			w.must(json.Unmarshal(raw, &e))
			delete(e, "id")
			events[name] = append(events[name], e)
		})
	}
	return events
}

// until reads the events before a marker.
func (q *Queue) until(name string, each func(kind string, raw json.RawMessage)) {
	q.client.world.T.Helper()
	for {
		reply := struct{ Events []json.RawMessage }{}
		q.client.Do(http.MethodGet, "/events", Params{"queue_id": q.ID, "last_event_id": q.Last}).OK().Decode(&reply)
		for _, raw := range reply.Events {
			e := struct {
				ID   int64  `json:"id"`
				Type string `json:"type"`
				Name string `json:"name"`
			}{}
			q.client.world.must(json.Unmarshal(raw, &e))
			q.Last = e.ID
			switch {
			case e.Type == "marker" && e.Name == name:
				return
			case e.Type != "marker" && e.Type != "heartbeat":
				each(e.Type, raw)
			}
		}
	}
}

// Everything registers a queue for all types of events, without the initial state.
func (a Account) Everything(more Params) *Queue {
	a.world.T.Helper()
	params := Params{"fetch_event_types": []string{}}
	maps.Copy(params, more)
	return a.Register(params)
}

// Watch is a queue whose events of some types are tested.
type Watch struct {
	*Queue
	types []string
}

// Watch registers a queue for events of the given types.
func (a Account) Watch(types ...string) *Watch {
	a.world.T.Helper()
	return &Watch{a.Everything(nil), types}
}

// As returns the watch for its account with another address. The server reads the account again.
func (w *Watch) As(a Account) *Watch {
	a.world.Forget(a)
	q := *w.Queue
	q.client = a
	return &Watch{&q, w.types}
}

var eventID = regexp.MustCompile(`^{"id":\d+,`)

// Events returns the events since the last call, as JSON without ids. They include all events of operations before the
// call.
func (w *Watch) Events() []string {
	w.client.world.T.Helper()
	events := []string{}
	w.until(w.client.mark(), func(kind string, raw json.RawMessage) {
		if slices.Contains(w.types, kind) {
			events = append(events, eventID.ReplaceAllString(string(raw), "{"))
		}
	})
	return events
}
