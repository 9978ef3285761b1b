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
	servicetest.Same(t, "another letter case", []string{"pump"}, remove(ann, "vALVE", "äpfel "))
	servicetest.Same(t, "unknown", []string{"pump"}, remove(ann, "tea", ""))
	servicetest.Same(t, "none", []string{"pump"}, remove(ann))
	servicetest.Same(t, "all", []string{}, remove(ann, "pump"))
	servicetest.Same(t, "others keep theirs", []string{"pump"}, list(bob))
	servicetest.Same(t, "events", map[string][]object{"ann": {event("pump"), event("pump"), event("pump"), event()}}, w.EventsOf(queues))
	ann.Do(http.MethodDelete, path, nil).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'alert_words' argument")
	ann.Do(http.MethodDelete, path, params{"alert_words": "3"}).Fails(http.StatusBadRequest, "BAD_REQUEST", "alert_words is not a list")
}
