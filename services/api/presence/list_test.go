package presence_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	guest, robot := w.Person("Guest", actor.Guest), w.Bot("Robot", actor.GenericBot, ann)
	servicetest.Same(t, "nobody", object{"presences": object{}}, recent(t, answer(guest.Do(http.MethodGet, "/realm/presence", nil)), "server_timestamp"))
	one := reported(w, ann.ID, "website", presence.Active, time.Hour)
	two := reported(w, ann.ID, "ios", presence.Active, time.Hour+time.Minute)
	want := object{"presences": object{ann.RealEmail: object{
		"aggregated": aggregated("website", "active", one), "website": client("website", "active", one), "ios": client("ios", "active", two),
	}}}
	for _, by := range []servicetest.Account{ann, guest, robot} {
		servicetest.Same(t, by.FullName, want, recent(t, answer(by.Do(http.MethodGet, "/realm/presence", nil)), "server_timestamp"))
	}
	// If addresses are hidden, the keys are the displayed ones.
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = settings || '{"email_address_visibility": 3}'`)
	got := member(answer(guest.Do(http.MethodGet, "/realm/presence", nil)), "presences")
	if len(got) != 1 || got["user"+ann.ID.String()+"@"+servicetest.Host] == nil {
		t.Errorf("hidden addresses: %v", got)
	}
}
