package streams_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/services/servicetest"
)

// defaults returns the event with these default streams.
func (w *world) defaults(streams ...int64) string {
	objects := make([]string, len(streams))
	for i, stream := range streams {
		objects[i] = w.object(stream)
	}
	return `{"type":"default_streams","default_streams":[` + strings.Join(objects, ",") + `]}`
}

func TestAddDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watches := w.watches("default_streams")
	add := func(a servicetest.Account, stream any) servicetest.Answer {
		return a.Do(http.MethodPost, "/default_streams", params{"stream_id": stream})
	}
	const members = "Olga Ada Ann Bob Robot"
	add(w.admin, w.hall).OK()
	checkEvents(t, watches, to(members, w.defaults(w.hall)))
	add(w.owner, w.ball).OK()
	checkEvents(t, watches, to(members, w.defaults(w.ball, w.hall))) // by name
	add(w.owner, w.ball).OK()
	checkEvents(t, watches, map[string][]string{}) // nothing new

	const principal = "UNAUTHORIZED_PRINCIPAL"
	for _, who := range []servicetest.Account{w.ann, w.gus, w.robot} {
		add(who, w.hall).Fails(400, principal, "Must be an organization administrator")
	}
	gone := w.ann.NewStream("gone", nil)
	w.admin.Do(http.MethodDelete, at("/streams/%d", gone), nil).OK()
	for _, stream := range []int64{w.cave, gone, 99999} {
		add(w.admin, stream).Fails(400, bad, "Invalid stream id")
	}
	add(w.stranger, w.hall).Fails(400, bad, "Invalid stream id")
	add(w.admin, "Hall").Fails(400, bad, `Argument "stream_id" is not valid JSON.`)
	w.admin.Do(http.MethodPost, "/default_streams", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument")
	checkEvents(t, watches, map[string][]string{})

	reply := struct{ Streams []map[string]any }{}
	w.ann.Do(http.MethodGet, "/streams", params{"include_default": true}).OK().Decode(&reply)
	got := map[any]any{}
	for _, s := range reply.Streams {
		got[s["name"]] = s["is_default"]
	}
	servicetest.Same(t, "is_default", map[any]any{"Ball": true, "Hall": true, "cave": false}, got)
}
