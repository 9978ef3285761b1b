package streams_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestChangeGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := w.makeGroup("shift", "Hall")
	w.ann.NewStream("den", nil)
	w.admin.Do(http.MethodPost, "/default_streams", params{"stream_id": w.id("den")}).OK()
	watches := w.watches(groupEvents)
	change := func(by servicetest.Account, op string, streams ...string) servicetest.Answer {
		return by.Do(http.MethodPatch, at("/default_stream_groups/%d/streams", number), params{"op": op, "stream_names": names(streams)})
	}
	change(w.admin, "add", "ball").OK()
	checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "shift", "d", w.ball, w.hall))))
	change(w.admin, "remove", "Hall", "hall").OK()
	checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "shift", "d", w.ball))))

	w.onlyAdmins(func(by servicetest.Account) servicetest.Answer { return change(by, "add", "Hall") })
	change(w.admin, "add", "Hall", "Ball").Fails(400, bad, "Stream 'Ball' is already present in default stream group 'shift'")
	change(w.admin, "remove", "Ball", "Hall").Fails(400, bad, "Stream 'Hall' is not present in default stream group 'shift'")
	change(w.admin, "add", "den").Fails(400, bad, "'den' is a default stream and cannot be added to 'shift'")
	change(w.admin, "add", "cave").Fails(400, bad, "Invalid stream name 'cave'")
	change(w.admin, "put", "Hall").Fails(400, "", `Invalid value for "op". Specify one of "add" or "remove".`)
	w.stranger.Subscribe("Hall")
	change(w.stranger, "add", "Hall").Fails(400, bad, at("Default stream group with id '%d' does not exist.", number))
	checkEvents(t, watches, map[string][]string{})
	w.db.Exec("insert into streams (org_id, name) select $1, 's' || n from generate_series(1, 99) n", w.Org.ID)
	w.db.Exec("insert into default_stream_group_streams (org_id, group_id, stream_id) select $1, $2, stream_id from streams where name ~ '^s[0-9]'", w.Org.ID, number)
	change(w.admin, "add", "Hall").Fails(400, bad, "Too many streams in a default stream group (limit: 100)")
}
