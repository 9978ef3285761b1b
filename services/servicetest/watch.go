package servicetest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
)

// Watch is a queue of which a test looks at everything that enters it.
type Watch struct {
	*Queue
	messages bool // are looked at, too
}

// Watch makes a queue for events of the given types.
func (a Account) Watch(types ...string) *Watch {
	a.world.T.Helper()
	request := Params{"event_types": append(slices.Clone(types), "message"), "fetch_event_types": []string{}}
	return &Watch{a.Register(request), slices.Contains(types, "message")}
}

var eventID = regexp.MustCompile(`^{"id":\d+,`)

// Told returns what entered the queue since it was last asked, as JSON without ids. All that was
// committed before the call is there: a note that the account sends to itself comes behind it.
func (w *Watch) Told() []string {
	a := w.client
	a.world.T.Helper()
	note := struct{ ID int64 }{}
	a.Do(http.MethodPost, "/messages", Params{"type": "private", "to": []int64{int64(a.ID)}, "content": "up to here"}).OK().Decode(&note)
	told := []string{}
	for {
		reply := struct{ Events []json.RawMessage }{}
		a.Do(http.MethodGet, "/events", Params{"queue_id": w.ID, "last_event_id": w.Last}).OK().Decode(&reply)
		for _, raw := range reply.Events {
			e := Event{}
			if err := json.Unmarshal(raw, &e); err != nil {
				a.world.T.Fatalf("%v: %s", err, raw)
			}
			w.Last = e.ID
			switch {
			case e.Type == "heartbeat":
			case e.Type != "message" || w.messages && e.Message["id"] != float64(note.ID):
				told = append(told, eventID.ReplaceAllString(string(raw), "{"))
			case e.Message["id"] == float64(note.ID):
				return told
			}
		}
	}
}
