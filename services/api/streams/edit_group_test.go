package streams_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestEditGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := w.makeGroup("night shift", "Hall")
	w.makeGroup("other")
	watches := w.watches(groupEvents)
	edit := func(by servicetest.Account, p params) servicetest.Answer {
		return by.Do(http.MethodPatch, at("/default_stream_groups/%d", number), p)
	}
	other := w.group(number+1, "other", "d")
	edit(w.admin, params{"new_group_name": `"day shift"`, "new_description": `"by day"`}).OK()
	checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "day shift", "by day", w.hall), other)))
	edit(w.admin, params{"new_description": "late"}).OK()
	checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "day shift", "late", w.hall), other)))
	edit(w.admin, params{"new_description": ""}).OK()
	checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "day shift", "", w.hall), other)))

	w.onlyAdmins(func(by servicetest.Account) servicetest.Answer { return edit(by, params{"new_group_name": "x"}) })
	edit(w.admin, nil).Fails(400, "", `You must pass "new_description" or "new_group_name".`)
	edit(w.admin, params{"new_group_name": ""}).Fails(400, "", `You must pass "new_description" or "new_group_name".`)
	edit(w.stranger, params{"new_group_name": "x"}).Fails(400, bad, at("Default stream group with id '%d' does not exist.", number))
	edit(w.admin, params{"new_group_name": "day shift"}).Fails(400, bad, "This default stream group is already named 'day shift'")
	edit(w.admin, params{"new_group_name": "other"}).Fails(400, bad, "Default stream group 'other' already exists")
	edit(w.admin, params{"new_group_name": " "}).Fails(400, bad, "Invalid default stream group name ' '")
	edit(w.admin, params{"new_group_name": strings.Repeat("x", 61)}).Fails(400, bad, "Default stream group name too long (limit: 60 characters)")
	edit(w.admin, params{"new_group_name": "a\x00b"}).Fails(400, bad, "Default stream group name 'a\x00b' contains NULL (0x00) characters.")
	edit(w.admin, params{"new_description": strings.Repeat("x", 1025)}).Fails(400, bad, "new_description is too long (limit: 1024 characters; sent: 1025)")
	checkEvents(t, watches, map[string][]string{})
}
