package alertwords_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, guest := w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	abroad := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Member})
	same(t, "nothing", []string{}, list(ann))
	add(ann, "pump", "Valve")
	add(guest, "lunch")
	add(abroad, "tea")
	same(t, "Ann's", []string{"pump", "Valve"}, list(ann))
	same(t, "the guest's", []string{"lunch"}, list(guest))
	same(t, "the bot's", []string{}, list(robot))
	same(t, "another organization's", []string{"tea"}, list(abroad))
	state := object{}
	ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"alert_words"}}).OK().Decode(&state)
	same(t, "initial state", any([]any{"pump", "Valve"}), state["alert_words"])
}
