package servicetest

import (
	"crypto/rand"
	"net/http"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
)

// marker is an event that everybody hears and that no client knows.
type marker struct {
	Name string `json:"name"`
}

func (marker) Kind() event.Kind         { return event.Kind{Type: "marker"} }
func (marker) Audience() event.Audience { return event.Audience{Everyone: true} }

// Heard returns the events that queues got since they were read last, as clients get them but without ids.
// The queues are for all types of events, and of accounts of one organization. What was done before the
// call is in it, and nothing else.
func (w *World) Heard(queues map[string]*Queue) map[string][]map[string]any {
	w.T.Helper()
	last := marker{rand.Text()}
	heard := map[string][]map[string]any{}
	emitted := false
	for name, q := range queues {
		if !emitted {
			emitted = true
			w.must(w.DB.Write(w.T.Context(), q.client.Org.ID, func(tx *store.Tx) error { return tx.Emit(w.T.Context(), last) }))
		}
		if events := q.until(last.Name); len(events) > 0 {
			heard[name] = events
		}
	}
	return heard
}

// until reads the events before a marker.
func (q *Queue) until(name string) []map[string]any {
	q.client.world.T.Helper()
	events := []map[string]any{}
	for {
		reply := struct{ Events []map[string]any }{}
		q.client.Do(http.MethodGet, "/events", Params{"queue_id": q.ID, "last_event_id": q.Last}).OK().Decode(&reply)
		for _, e := range reply.Events {
			number, _ := e["id"].(float64)
			q.Last = int64(number)
			delete(e, "id")
			switch {
			case e["type"] == "marker" && e["name"] == name:
				return events
			case e["type"] != "marker" && e["type"] != "heartbeat":
				events = append(events, e)
			}
		}
	}
}

// Everything makes a queue for all types of events, without the initial state.
func (a Account) Everything(more Params) *Queue {
	a.world.T.Helper()
	params := Params{"fetch_event_types": []string{}}
	for name, value := range more {
		params[name] = value
	}
	return a.Register(params)
}
