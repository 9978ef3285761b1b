package groups_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops, crew := w.create("ops", w.mia), w.create("crew")
	w.watch.Events()
	w.editors(http.MethodDelete, at(987654321), nil, "Invalid user group")
	w.mia.Do(http.MethodDelete, at(crew), nil).
		Fails(http.StatusBadRequest, bad, "Only group members and organization administrators can administer this group.")
	w.mia.Do(http.MethodDelete, at(ops), nil).OK()
	w.mia.Do(http.MethodDelete, at(ops), nil).Fails(http.StatusBadRequest, bad, "Invalid user group")
	w.ann.Do(http.MethodDelete, at(crew), nil).OK()
	removed := func(group int64) string {
		return fmt.Sprintf(`{"type":"user_group","op":"remove","group_id":%d}`, group)
	}
	servicetest.Same(t, "events", []string{removed(ops), removed(crew)}, w.watch.Events())
	servicetest.Same(t, "groups", "[]", w.groups(w.mia))
}
