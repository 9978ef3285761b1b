package groups_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// asJSON returns groups in the form of the interface.
func asJSON(t *testing.T, groups any) string {
	t.Helper()
	type group struct {
		ID          int64   `json:"id"`
		Name        string  `json:"name"`
		Description string  `json:"description"`
		Members     []int64 `json:"members"`
	}
	text, err := json.Marshal(groups)
	list := []group{}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err == nil {
		text, err = json.Marshal(list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	create := func(p params) { w.mia.Do(http.MethodPost, "/user_groups/create", p).OK() }
	create(params{"name": "ops", "description": "who <operates>", "members": append(servicetest.IDs(w.max, w.ann, w.max), int64(w.bo.ID))})
	w.set(`{"user_group_edit_policy": 2}`) // administrators may
	w.ann.Do(http.MethodPost, "/user_groups/create", params{"name": strings.Repeat("ä", 100), "description": ""}).OK()
	numbers := storetest.Values[int64](w.db, "select group_id from user_groups order by 1")
	servicetest.Same(t, "events", []string{
		fmt.Sprintf(`{"type":"user_group","op":"add","group":{"id":%d,"name":"ops","description":"who <operates>","members":[%d,%d,%d]}}`,
			numbers[0], w.ann.ID, w.max.ID, w.bo.ID),
		fmt.Sprintf(`{"type":"user_group","op":"add","group":{"id":%d,"name":"%s","description":"","members":[]}}`, numbers[1], strings.Repeat("ä", 100)),
	}, w.watch.Events())
}

func TestCreateRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("ops", w.mia)
	w.watch.Events()
	const path = "/user_groups/create"
	create := func(p params) params { return params{"name": p["name"], "description": "", "members": p["members"]} }
	system := storetest.Values[int64](w.db, "select user_id from users where system and org_id = $1", w.Org.ID)[0]
	many := make([]int64, 1001)
	for i := range many {
		many[i] = int64(i) + 987654321
	}
	for _, refused := range []struct {
		params params
		msg    string
	}{
		{create(params{"name": "x", "members": []int64{int64(w.mia.ID), 987654322, 987654321}}), "Invalid user ID: 987654322"},
		{create(params{"name": "x", "members": []int64{system}}), fmt.Sprintf("Invalid user ID: %d", system)},
		{create(params{"name": "ops", "members": []int64{987654321}}), "Invalid user ID: 987654321"},
		{create(params{"name": "x", "members": many}), "Too many members: the group would have 1001, the limit is 1000."},
		{create(params{"name": "x", "members": many[:1000]}), "Invalid user ID: 987654321"},
		{create(params{"name": "ops", "members": []int64{}}), "User group 'ops' already exists."},
		{create(params{"name": " ", "members": []int64{}}), "name cannot be blank."},
		{create(params{"name": "\u3164", "members": []int64{}}), "name cannot be blank."},
		{create(params{"name": strings.Repeat("x", 101), "members": []int64{}}), "name is too long (limit: 100 characters; sent: 101)"},
		{create(params{"name": "x", "members": "3"}), "members is not a list"},
	} {
		w.mia.Do(http.MethodPost, path, refused.params).Fails(http.StatusBadRequest, bad, refused.msg)
	}
	w.mia.Do(http.MethodPost, path, params{"name": "x"}).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'description' argument")
	w.mia.Do(http.MethodPost, path, params{"description": "x"}).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'name' argument")
	w.editors(http.MethodPost, path, create(params{"name": "ops", "members": []int64{}}), "User group 'ops' already exists.")
	servicetest.Same(t, "events of what was refused", []string{}, w.watch.Events())
	servicetest.Same(t, "groups", 1, len(storetest.Values[int64](w.db, "select group_id from user_groups")))
}

// An organization has at most 500 groups, with at most 50,000 members in total.
func TestTooMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	create := params{"name": "one more", "description": "", "members": servicetest.IDs(w.mia)}
	w.db.Exec(`insert into user_groups (org_id, name, description, members)
		select $1, 'g' || n, '', array(select generate_series(10001, 11000)) from generate_series(1, 50) n`, w.Org.ID)
	w.mia.Do(http.MethodPost, "/user_groups/create", create).
		Fails(http.StatusBadRequest, bad, "Too many members: all user groups together would have 50001, the limit is 50000.")
	group := storetest.Values[int64](w.db, "select group_id from user_groups where name = 'g1'")[0]
	w.ann.Do(http.MethodPost, at(group)+"/members", params{"add": servicetest.IDs(w.gus)}).
		Fails(http.StatusBadRequest, bad, "Too many members: the group would have 1001, the limit is 1000.")
	w.db.Exec("update user_groups set members = array(select generate_series(10001, 10999)) where group_id = $1", group)
	w.mia.Do(http.MethodPost, "/user_groups/create", create).OK()
	w.db.Exec(`insert into user_groups (org_id, name, description, members)
		select $1, 'small ' || n, '', '{}' from generate_series(1, 449) n`, w.Org.ID)
	w.mia.Do(http.MethodPost, "/user_groups/create", params{"name": "last", "description": ""}).
		Fails(http.StatusBadRequest, bad, "There are too many user groups: the limit is 500.")
	w.ann.Do(http.MethodPost, at(group)+"/members", params{"add": servicetest.IDs(w.gus)}).
		Fails(http.StatusBadRequest, bad, "Too many members: all user groups together would have 50001, the limit is 50000.")
}
