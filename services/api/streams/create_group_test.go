package streams_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestCreateGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin.Do(http.MethodPost, "/default_streams", params{"stream_id": w.ball}).OK()
	watches := w.watches(groupEvents)
	create := func(by servicetest.Account, name string, streams ...string) servicetest.Answer {
		return by.Do(http.MethodPost, "/default_stream_groups/create", params{"group_name": name, "description": "d", "stream_names": names(streams)})
	}
	create(w.admin, " ni\u0308ght shift ", "hall", "Hall").OK()
	number := storetest.Values[int64](w.db, "select group_id from default_stream_groups")[0]
	checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "nïght shift", "d", w.hall))))

	w.onlyAdmins(func(by servicetest.Account) servicetest.Answer { return create(by, "x", "Hall") })
	create(w.admin, "x", "Hall", "nowhere").Fails(400, bad, "Invalid stream name 'nowhere'")
	create(w.admin, "x", "cave").Fails(400, bad, "Invalid stream name 'cave'") // Ada isn't subscribed
	create(w.stranger, "x", "Hall").Fails(400, bad, "Invalid stream name 'Hall'")
	create(w.admin, "x", "Hall", "Ball").Fails(400, bad, "'Ball' is a default stream and cannot be added to 'x'")
	create(w.admin, " ").Fails(400, bad, "Invalid default stream group name ' '")
	create(w.admin, "\u3164").Fails(400, bad, "Invalid default stream group name '\u3164'")
	create(w.admin, strings.Repeat("x", 61)).Fails(400, bad, "Default stream group name too long (limit: 60 characters)")
	create(w.admin, "a\x00b").Fails(400, bad, "Default stream group name 'a\x00b' contains NULL (0x00) characters.")
	create(w.admin, "nïght shift").Fails(400, bad, "Default stream group 'nïght shift' already exists")
	w.admin.Do(http.MethodPost, "/default_stream_groups/create", params{"group_name": "x", "description": strings.Repeat("x", 1025), "stream_names": "[]"}).
		Fails(400, bad, "description is too long (limit: 1024 characters; sent: 1025)")
	create(w.admin, "x", strings.Split(strings.Repeat("Hall,", 100)+"Hall", ",")...).Fails(400, bad, "Too many streams in a default stream group (limit: 100)")
	checkEvents(t, watches, map[string][]string{})
	w.db.Exec("insert into default_stream_groups (org_id, name, description) select $1, 'g' || n, '' from generate_series(1, 49) n", w.Org.ID)
	create(w.admin, "x").Fails(400, bad, "Too many default stream groups (limit: 50)")
}
