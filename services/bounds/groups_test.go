package bounds_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// User groups, profile fields and submessages write a few rows, and the mention of groups one for each member.
func TestGroupsAndProfiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1100)
	w.crowded(10)
	few := bound{events: 2, bytes: 20_000, rows: 1}
	do := func(what, method, path string, p params, limit bound) {
		t.Helper()
		w.look()
		w.ada.Do(method, path, p).OK()
		w.holds(what, limit)
	}
	do("a group", "POST", "/user_groups/create", params{"name": "all", "description": "", "members": w.people[:1000]}, few)
	do("another group", "POST", "/user_groups/create", params{"name": "some", "description": "", "members": w.people[500:900]}, few)
	group := fmt.Sprintf("/user_groups/%d", storetest.Values[int64](w.sql, "select group_id from user_groups where name = 'some'")[0])
	do("its name", "PATCH", group, params{"name": "more", "description": "new"}, few)
	do("its members", "POST", group+"/members", params{"add": w.people[:400], "delete": w.people[500:900]}, few)
	message := params{"type": "stream", "to": "hall", "topic": "t", "content": "@*all* @*more*"}
	do("mentions of groups", "POST", "/messages", message, bound{events: 1, bytes: 40_000, rows: 1000})
	last := storetest.Values[int64](w.sql, "select max(message_id) from messages")[0]
	do("an edit with another", "PATCH", fmt.Sprintf("/messages/%d", last), params{"content": "@*more*"}, bound{events: 1, bytes: 80_000, rows: 1000})
	do("a submessage", "POST", "/submessage", params{"message_id": last, "msg_type": "widget", "content": "0"}, few)
	do("no group", "DELETE", group, nil, few)

	fields, answers := make([]int64, 20), make([]params, 20)
	for i := range fields {
		made := struct{ ID int64 }{}
		w.look()
		w.ada.Do("POST", "/realm/profile_fields", params{"name": fmt.Sprint("field ", i), "field_type": 2}).OK().Decode(&made)
		w.holds("a field", few)
		fields[i], answers[i] = made.ID, params{"id": made.ID, "value": "x"}
	}
	do("their order", "PATCH", "/realm/profile_fields", params{"order": fields}, bound{events: 1, bytes: 20_000, rows: 20})
	do("a label", "PATCH", fmt.Sprintf("/realm/profile_fields/%d", fields[0]), params{"name": "first"}, few)
	do("answers", "PATCH", "/users/me/profile_data", params{"data": answers}, bound{events: 20, bytes: 20_000, rows: 20})
	do("no answers", "DELETE", "/users/me/profile_data", params{"data": fields}, bound{events: 20, bytes: 20_000})
}
