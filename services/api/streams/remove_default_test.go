package streams_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestRemoveDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin.Do(http.MethodPost, "/default_streams", params{"stream_id": w.hall}).OK()
	w.db.Exec("update streams set is_default = true where stream_id = $1", w.cave)
	watches := w.watches("default_streams")
	remove := func(a servicetest.Account, stream int64) servicetest.Answer {
		return a.Do(http.MethodDelete, "/default_streams", params{"stream_id": stream})
	}
	const members = "Olga Ada Ann Bob Robot"
	remove(w.admin, w.cave).OK() // Ada isn't subscribed
	checkEvents(t, watches, to(members, w.defaults(w.hall)))
	remove(w.owner, w.hall).OK()
	checkEvents(t, watches, to(members, w.defaults()))
	remove(w.owner, w.hall).OK()
	checkEvents(t, watches, to(members, w.defaults())) // sent in any case

	for _, who := range []servicetest.Account{w.ann, w.gus, w.robot} {
		remove(who, w.hall).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	}
	remove(w.admin, 99999).Fails(400, bad, "Invalid stream id")
	remove(w.stranger, w.hall).Fails(400, bad, "Invalid stream id")
	checkEvents(t, watches, map[string][]string{})
}
