package streams_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestDeleteGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := w.makeGroup("shift", "Hall")
	watches := w.watches(groupEvents)
	remove := func(by servicetest.Account) servicetest.Answer {
		return by.Do(http.MethodDelete, at("/default_stream_groups/%d", number), nil)
	}
	missing := at("Default stream group with id '%d' does not exist.", number)
	w.onlyAdmins(remove)
	remove(w.stranger).Fails(400, bad, missing)
	checkEvents(t, watches, map[string][]string{})
	remove(w.admin).OK()
	checkEvents(t, watches, to(nonGuests, grouped()))
	remove(w.admin).Fails(400, bad, missing)
}
