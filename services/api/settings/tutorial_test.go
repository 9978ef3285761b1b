package settings_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestTutorial(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	for status, want := range map[string][]any{`"finished"`: {}, "finished": {}} {
		ann.Do(http.MethodPost, "/users/me/tutorial_status", params{"status": status}).OK()
		servicetest.Same(t, status, want, hints(state(ann, "hotspots")["hotspots"]))
	}
	ann.Do(http.MethodPost, "/users/me/tutorial_status", params{"status": `"started"`}).OK()
	servicetest.Same(t, "started again", []any{"intro_reply"}, hints(state(ann, "hotspots")["hotspots"]))
	ann.Do(http.MethodPost, "/users/me/tutorial_status", params{"status": `"lost"`}).Fails(http.StatusBadRequest, "BAD_REQUEST", "Invalid status")
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
}
