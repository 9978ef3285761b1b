package groups_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops := w.create("ops", w.mia)
	w.watch.Events()
	update := func(data string) string {
		return fmt.Sprintf(`{"type":"user_group","op":"update","group_id":%d,"data":%s}`, ops, data)
	}
	change := func(p params) { w.mia.Do(http.MethodPatch, at(ops), p).OK() }
	change(params{"name": "Ops", "description": "new"})
	change(params{"name": "Ops", "description": "new"})
	change(params{"name": "ops"})
	change(params{"name": "", "description": "newer"})
	change(params{"description": ""})
	servicetest.Same(t, "events", []string{
		update(`{"name":"Ops"}`), update(`{"description":"new"}`), update(`{"name":"ops"}`), update(`{"description":"newer"}`), update(`{"description":""}`),
	}, w.watch.Events())
	servicetest.Same(t, "the group", fmt.Sprintf(`[{"id":%d,"name":"ops","description":"","members":[%d]}]`, ops, w.mia.ID), w.groups(w.mia))
}

func TestChangeRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops, _ := w.create("ops", w.mia), w.create("crew")
	w.watch.Events()
	for _, refused := range []struct {
		group     int64
		params    params
		code, msg string
	}{
		{ops, nil, "", "No new data supplied"},
		{987654321, params{"name": ""}, "", "No new data supplied"},
		{987654321, params{"name": "crew"}, bad, "Invalid user group"},
		{ops, params{"name": "crew", "description": "lost"}, bad, "User group 'crew' already exists."},
		{ops, params{"name": "  "}, bad, "name cannot be blank."},
		{ops, params{"name": "\u2800"}, bad, "name cannot be blank."},
	} {
		w.mia.Do(http.MethodPatch, at(refused.group), refused.params).Fails(http.StatusBadRequest, refused.code, refused.msg)
	}
	const outsider = "Only group members and organization administrators can administer this group."
	w.max.Do(http.MethodPatch, at(ops), params{"name": "crew"}).Fails(http.StatusBadRequest, bad, outsider)
	w.editors(http.MethodPatch, at(ops), params{"name": "crew"}, "User group 'crew' already exists.")
	servicetest.Same(t, "events of what was refused", []string{}, w.watch.Events())
}
