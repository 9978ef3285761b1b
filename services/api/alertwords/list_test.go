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
	servicetest.Same(t, "nothing", []string{}, list(ann))
	add(ann, "pump", "Valve")
	add(guest, "lunch")
	add(abroad, "tea")
	servicetest.Same(t, "Ann's", []string{"pump", "Valve"}, list(ann))
	servicetest.Same(t, "the guest's", []string{"lunch"}, list(guest))
	servicetest.Same(t, "the bot's", []string{}, list(robot))
	servicetest.Same(t, "another organization's", []string{"tea"}, list(abroad))
	state := object{}
	ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"alert_words"}}).OK().Decode(&state)
	servicetest.Same(t, "initial state", any([]any{"pump", "Valve"}), state["alert_words"])
}
