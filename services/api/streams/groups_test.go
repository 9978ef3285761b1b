package streams_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

const (
	principal   = "UNAUTHORIZED_PRINCIPAL"
	nonGuests   = "Olga Ada Ann Bob Robot"
	groupEvents = "default_stream_groups"
)

// group returns the text of a group in events.
func (w *world) group(number int64, name, description string, streams ...int64) string {
	objects := make([]string, len(streams))
	for i, stream := range streams {
		objects[i] = w.object(stream)
	}
	return fmt.Sprintf(`{"id":%d,"name":"%s","description":"%s","streams":[%s]}`, number, name, description, strings.Join(objects, ","))
}

// grouped returns the event with these groups.
func grouped(groups ...string) string {
	return `{"type":"default_stream_groups","default_stream_groups":[` + strings.Join(groups, ",") + `]}`
}

// makeGroup creates a group of streams and returns its id.
func (w *world) makeGroup(name string, streams ...string) int64 {
	w.T.Helper()
	w.admin.Do(http.MethodPost, "/default_stream_groups/create", params{"group_name": name, "description": "d", "stream_names": names(streams)}).OK()
	return storetest.Values[int64](w.db, "select group_id from default_stream_groups where org_id = $1 and name = $2", w.Org.ID, name)[0]
}

func names(streams []string) string {
	if len(streams) == 0 {
		return "[]"
	}
	return `["` + strings.Join(streams, `","`) + `"]`
}

// onlyAdmins checks that only administrators may make a call.
func (w *world) onlyAdmins(do func(by servicetest.Account) servicetest.Answer) {
	w.T.Helper()
	for _, who := range []servicetest.Account{w.ann, w.gus, w.robot} {
		do(who).Fails(400, principal, "Must be an organization administrator")
	}
}

// The initial state contains the groups, without deactivated streams, and none for guests. Deactivating a stream
// removes it from its groups.
func TestGroupsInState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.makeGroup("second", "Hall", "Ball")
	first := w.makeGroup("first", "Ball")
	state := func(of servicetest.Account) string {
		got := struct {
			Groups json.RawMessage `json:"realm_default_stream_groups"`
		}{}
		of.RegisterInto(params{"event_types": []string{groupEvents}}, &got)
		return string(got.Groups)
	}
	servicetest.Same(t, "state", "["+w.group(first, "first", "d", w.ball)+","+w.group(second, "second", "d", w.ball, w.hall)+"]", state(w.ann))
	servicetest.Same(t, "a guest's", "[]", state(w.gus))
	servicetest.Same(t, "another organization's", "[]", state(w.stranger))
	watches := w.watches(groupEvents)
	w.admin.Do(http.MethodDelete, at("/streams/%d", w.ball), nil).OK()
	left := []string{w.group(first, "first", "d"), w.group(second, "second", "d", w.hall)}
	checkEvents(t, watches, to(nonGuests, grouped(left...)))
	servicetest.Same(t, "state", "["+strings.Join(left, ",")+"]", state(w.ann))
}
