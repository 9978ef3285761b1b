package events_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// A waiting poll ends without an event soon after its account's key was revoked, and the next one is refused. Polls of
// others continue (security, L7).
func TestRevokedKeyEndsPolls(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann, bob, dora := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Dora", actor.Member)
	people := map[string]servicetest.Account{"ann": ann, "bob": bob}
	polls := map[string]chan servicetest.Answer{}
	queues := map[string]*servicetest.Queue{}
	ask := func(who servicetest.Account, name string) {
		answer := make(chan servicetest.Answer, 1)
		polls[name] = answer
		go func() {
			answer <- who.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": queues[name].ID, "last_event_id": -1})
		}()
	}
	dora.Subscribe("boilers")
	for name, who := range people {
		who.Subscribe("boilers")
		queues[name] = messagesOf(who, nil)
	}
	w.WatchAccounts()
	for name, who := range people {
		ask(who, name)
	}
	w.Parked(2)
	err := w.DB.Write(t.Context(), ann.Org.ID, func(tx *store.Tx) error {
		_, err := user.RevokeKeys(t.Context(), tx, ann.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	nothing := `{"result":"success","msg":"","queue_id":"` + queues["ann"].ID + `","events":[]}` + "\n"
	servicetest.Same(t, "the poll of a revoked key", nothing, (<-polls["ann"]).OK().Body)
	dora.SendStream("boilers", "x", "hello")
	ann.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": queues["ann"].ID, "last_event_id": -1}).Fails(401, "UNAUTHORIZED", "Invalid API key")
	servicetest.Same(t, "another account's poll", []string{"hello"}, contents(eventsOf(t, <-polls["bob"])))
}

func eventsOf(t *testing.T, answer servicetest.Answer) []servicetest.Event {
	t.Helper()
	reply := struct{ Events []servicetest.Event }{}
	answer.OK().Decode(&reply)
	return reply.Events
}
