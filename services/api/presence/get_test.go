package presence_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestGet(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	ann, bob, gone := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Gone", actor.Member)
	guest, robot := w.Person("Guest", actor.Guest), w.Bot("Robot", actor.GenericBot, ann)
	abroad := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Member})
	db.Exec("update users set active = false where user_id = $1", gone.ID)
	path := func(email string) string { return "/users/" + email + "/presence" }
	says := func(status string, at float64) object { return object{"status": status, "timestamp": at} }
	get := func(by servicetest.Account) object {
		return answer(by.Do(http.MethodGet, path(ann.RealEmail), nil))
	}

	for email, msg := range map[string]string{
		"nobody@chat.example": "No such user", gone.RealEmail: "No such user", abroad.RealEmail: "No such user", ann.ID.String(): "No such user",
		robot.RealEmail: "Presence is not supported for bot users.", ann.RealEmail: "No presence data for " + ann.RealEmail,
	} {
		guest.Do(http.MethodGet, path(email), nil).Fails(http.StatusBadRequest, "", msg)
	}
	long := reported(w, ann.ID, "ios", presence.Active, time.Hour)
	while := reported(w, ann.ID, "website", presence.Active, 302*time.Second)
	servicetest.Same(t, "a while ago", object{"presence": object{
		"aggregated": says("offline", while), "website": says("active", while), "ios": says("active", long),
	}}, get(guest))
	now := reported(w, ann.ID, "terminal", presence.Idle, 290*time.Second)
	servicetest.Same(t, "just now", object{"presence": object{
		"aggregated": says("idle", now), "terminal": says("idle", now), "website": says("active", while), "ios": says("active", long),
	}}, get(robot))
	servicetest.Same(t, "letter case", 1, len(answer(bob.Do(http.MethodGet, path("ANN@chat.example"), nil))))
	reported(w, bob.ID, "website", presence.Active, presence.Retention+time.Minute)
	ann.Do(http.MethodGet, path(bob.RealEmail), nil).Fails(http.StatusBadRequest, "", "No presence data for "+bob.RealEmail)
}
