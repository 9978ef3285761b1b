package alertwords_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	add(ann, "pump", "Valve", "ÄPFEL")
	add(bob, "pump")
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	same(t, "another letter case", []string{"pump"}, remove(ann, "vALVE", "äpfel "))
	same(t, "unknown", []string{"pump"}, remove(ann, "tea", ""))
	same(t, "none", []string{"pump"}, remove(ann))
	same(t, "all", []string{}, remove(ann, "pump"))
	same(t, "others keep theirs", []string{"pump"}, list(bob))
	same(t, "events", map[string][]object{"ann": {event("pump"), event("pump"), event("pump"), event()}}, w.EventsOf(queues))
	ann.Do(http.MethodDelete, path, nil).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'alert_words' argument")
	ann.Do(http.MethodDelete, path, params{"alert_words": "3"}).Fails(http.StatusBadRequest, "BAD_REQUEST", "alert_words is not a list")
}
