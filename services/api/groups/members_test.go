package groups_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops := w.create("ops", w.mia)
	w.watch.Events()
	change := func(p params) { w.mia.Do(http.MethodPost, at(ops)+"/members", p).OK() }
	change(params{"add": append(servicetest.IDs(w.gus, w.ann, w.bo), int64(w.ann.ID))})
	change(params{"delete": servicetest.IDs(w.gus)})
	change(params{"add": servicetest.IDs(w.max), "delete": servicetest.IDs(w.max, w.mia)})
	event := func(op string, list string) string {
		return fmt.Sprintf(`{"type":"user_group","op":"%s_members","group_id":%d,"user_ids":[%s]}`, op, ops, list)
	}
	servicetest.Same(t, "events", []string{
		event("add", fmt.Sprintf("%d,%d,%d", w.ann.ID, w.gus.ID, w.bo.ID)),
		event("remove", w.gus.ID.String()),
		event("add", w.max.ID.String()),
		event("remove", fmt.Sprintf("%d,%d", w.mia.ID, w.max.ID)),
	}, w.watch.Events())
	servicetest.Same(t, "the group", fmt.Sprintf(`[{"id":%d,"name":"ops","description":"of ops","members":[%d,%d]}]`, ops, w.ann.ID, w.bo.ID), w.groups(w.mia))
}

func TestMembersRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops, crew := w.create("ops", w.mia, w.ann), w.create("crew", w.max)
	w.watch.Events()
	unknown := []int64{987654321}
	for _, refused := range []struct {
		group     int64
		params    params
		code, msg string
	}{
		{987654321, nil, "", `Nothing to do. Specify at least one of "add" or "delete".`},
		{987654321, params{"add": unknown}, bad, "Invalid user ID: 987654321"},
		{987654321, params{"delete": unknown}, bad, "Invalid user ID: 987654321"},
		{987654321, params{"add": servicetest.IDs(w.max)}, bad, "Invalid user group"},
		{987654321, params{"delete": servicetest.IDs(w.max)}, bad, "Invalid user group"},
		{crew, params{"add": servicetest.IDs(w.max)}, bad, "Only group members and organization administrators can administer this group."},
		{crew, params{"delete": servicetest.IDs(w.max)}, bad, "Only group members and organization administrators can administer this group."},
		{ops, params{"add": servicetest.IDs(w.max, w.ann)}, bad, fmt.Sprintf("User %d is already a member of this group", w.ann.ID)},
		{ops, params{"add": servicetest.IDs(w.max), "delete": unknown}, bad, "Invalid user ID: 987654321"},
		{ops, params{"add": servicetest.IDs(w.max), "delete": servicetest.IDs(w.gus)}, bad, fmt.Sprintf("There is no member '%d' in this user group", w.gus.ID)},
		{ops, params{"delete": servicetest.IDs(w.mia, w.max)}, bad, fmt.Sprintf("There is no member '%d' in this user group", w.max.ID)},
	} {
		w.mia.Do(http.MethodPost, at(refused.group)+"/members", refused.params).Fails(http.StatusBadRequest, refused.code, refused.msg)
	}
	w.editors(http.MethodPost, at(ops)+"/members", params{"add": servicetest.IDs(w.ann)}, fmt.Sprintf("User %d is already a member of this group", w.ann.ID))
	servicetest.Same(t, "events of what was refused", []string{}, w.watch.Events())
	want := fmt.Sprintf(`[{"id":%d,"name":"ops","description":"of ops","members":[%d,%d]},{"id":%d,"name":"crew","description":"of crew","members":[%d]}]`,
		ops, w.ann.ID, w.mia.ID, crew, w.max.ID)
	servicetest.Same(t, "the groups", want, w.groups(w.mia))
}

// Of concurrent changes, each is in the final state, and events are in the order of the changes.
func TestMembersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops := w.create("ops", w.mia)
	w.watch.Events()
	wg := sync.WaitGroup{}
	for _, member := range servicetest.IDs(w.ann, w.max, w.gus, w.bo) {
		wg.Go(func() { w.ann.Do(http.MethodPost, at(ops)+"/members", params{"add": []int64{member}}).OK() })
	}
	wg.Wait()
	want := fmt.Sprintf(`"members":[%d,%d,%d,%d,%d]}]`, w.ann.ID, w.mia.ID, w.max.ID, w.gus.ID, w.bo.ID)
	got := w.groups(w.mia)
	servicetest.Same(t, "the group", want, got[len(got)-len(want):])
	servicetest.Same(t, "events", 4, len(w.watch.Events()))
}
