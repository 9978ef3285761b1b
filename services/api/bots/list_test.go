package bots_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member, guest := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Gil", actor.Guest)
	member.Subscribe("hall")
	first := made(w, member, "one", params{"default_sending_stream": "hall", "default_all_public_streams": true})
	gone, second := made(w, member, "gone", nil), made(w, member, "two", params{"bot_type": 2})
	made(w, admin, "admins", nil)
	member.Do(http.MethodDelete, at(gone), nil).OK()
	reply := struct{ Bots []map[string]any }{}
	member.Do(http.MethodGet, "/bots", nil).OK().Decode(&reply)
	entry := func(bot servicetest.Account, sending any, public bool) map[string]any {
		return map[string]any{
			"username": bot.RealEmail, "full_name": bot.FullName, "avatar_url": "/avatar/" + bot.ID.String() + "?v=1",
			"default_sending_stream": sending, "default_events_register_stream": nil, "default_all_public_streams": public,
		}
	}
	if diff := cmp.Diff([]map[string]any{entry(first, "hall", true), entry(second, nil, false)}, reply.Bots); diff != "" {
		t.Errorf("bots (-want +got):\n%s", diff)
	}
	abroad(w).Do(http.MethodGet, "/bots", nil).OK().Decode(&reply)
	if len(reply.Bots) != 0 {
		t.Errorf("another organization has %v", reply.Bots)
	}
	guest.Do(http.MethodGet, "/bots", nil).Fails(400, "BAD_REQUEST", "Not allowed for guest users")
	first.Do(http.MethodGet, "/bots", nil).Fails(400, "", "This endpoint does not accept bot requests.")
}
