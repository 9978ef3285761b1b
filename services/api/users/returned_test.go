package users_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
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

