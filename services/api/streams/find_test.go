package streams_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	find := func(a servicetest.Account, name string) servicetest.Answer {
		return a.Do(http.MethodGet, "/get_stream_id", params{"stream": name})
	}
	found := func(stream int64) string {
		return fmt.Sprintf(`{"result":"success","msg":"","stream_id":%d}`+"\n", stream)
	}
	servicetest.Same(t, "by anybody", found(w.hall), find(w.bob, " hALL ").OK().Body)
	servicetest.Same(t, "by a subscriber", found(w.cave), find(w.ann, "cave").OK().Body)
	servicetest.Same(t, "by a bot", found(w.hall), find(w.robot, "Hall").OK().Body)
	servicetest.Same(t, "by a guest", found(w.hall), find(w.gus, "Hall").OK().Body)
	find(w.gus, "Ball").Fails(400, bad, "Invalid stream name 'Ball'")
	find(w.bob, " cave").Fails(400, bad, "Invalid stream name ' cave'")
	find(w.admin, "cave").Fails(400, bad, "Invalid stream name 'cave'")
	find(w.ann, "nowhere").Fails(400, bad, "Invalid stream name 'nowhere'")
	find(w.stranger, "Hall").Fails(400, bad, "Invalid stream name 'Hall'")
	w.ann.Do(http.MethodGet, "/get_stream_id", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'stream' argument")
}
