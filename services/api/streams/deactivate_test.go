package streams_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestDeactivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := func(a servicetest.Account, stream int64) servicetest.Answer {
		return a.Do(http.MethodDelete, at("/streams/%d", stream), nil)
	}
	w.admin.Do(http.MethodPost, "/default_streams", params{"stream_id": w.hall}).OK()
	w.bob.Subscribe("Ball")
	message := w.gus.SendStream("Hall", "t", "c")
	watches := w.watches("stream", "default_streams", "subscription")
	for _, test := range []struct {
		who       servicetest.Account
		stream    int64
		code, msg string
	}{
		{w.ann, w.cave, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"},
		{w.gus, w.hall, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"},
		{w.robot, w.hall, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"},
		{w.stranger, w.hall, bad, "Invalid stream id"},
		{w.admin, 99999, bad, "Invalid stream id"},
	} {
		end(test.who, test.stream).Fails(400, test.code, test.msg)
	}
	checkEvents(t, watches, map[string][]string{})

	deleted := func(object string) string { return `{"type":"stream","op":"delete","streams":[` + object + `]}` }
	cave, hall := w.object(w.cave), w.object(w.hall)
	end(w.admin, w.cave).OK() // Ada isn't subscribed
	checkEvents(t, watches, to("Olga Ada Ann", deleted(cave)))
	end(w.owner, w.hall).OK()
	want := to("Olga Ada Ann Bob Robot", `{"type":"default_streams","default_streams":[]}`, deleted(hall))
	want["Gus"] = []string{deleted(hall)}
	checkEvents(t, watches, want)
	end(w.owner, w.hall).Fails(400, bad, "Invalid stream id")

	w.ann.Do(http.MethodPost, "/messages", params{"type": "stream", "to": w.hall, "topic": "t", "content": "c"}).
		Fails(400, bad, fmt.Sprintf("Not authorized to send to stream '%d'", w.hall))
	servicetest.Same(t, "subscribers", 0, len(storetest.Values[int64](w.db, "select user_id from subscriptions where active and stream_id = $1", w.hall)))
	servicetest.Same(t, "messages", 1, len(storetest.Values[int64](w.db, "select message_id from messages where message_id = $1", message)))
	w.bob.NewStream("Hall", nil) // the name is free
}
