package profilefields_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	room, born := w.create("Room", 1, ""), w.create("Born", 4, "")
	w.mia.Do(http.MethodPatch, "/users/me/profile_data", params{"data": []params{{"id": room, "value": "B12"}, {"id": born, "value": "1999-01-31"}}}).OK()
	w.watch.Events()
	w.mia.Do(http.MethodDelete, at(room), nil).Fails(http.StatusBadRequest, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.ann.Do(http.MethodDelete, at(room), nil).OK()
	w.ann.Do(http.MethodDelete, at(room), nil).Fails(http.StatusBadRequest, "", "Field id "+at(room)[len(path)+1:]+" not found.")
	servicetest.Same(t, "events", []string{event("delete", field(born, "Born", 4, "", "", 2))}, w.watch.Events())
	servicetest.Same(t, "values", []int64{born}, storetest.Values[int64](w.db, "select field_id from profile_values"))
	servicetest.Same(t, "fields", []int64{born}, storetest.Values[int64](w.db, "select field_id from profile_fields"))
	w.create("Room", 1, "") // the name is free again
}

// The answers to a field are removed in short transactions. The field disappears for everyone with the first one, and
// another process continues.
func TestRemoveInSteps(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	room, born := w.create("Room", 1, ""), w.create("Born", 4, "")
	w.db.Exec("insert into users (org_id, email, full_name) select $1, 'p' || n || '@chat.example', 'P' || n from generate_series(1, 3000) n", w.Org.ID)
	w.db.Exec("insert into profile_values (org_id, user_id, field_id, value) select org_id, user_id, field_id, 'x' from users join profile_fields using (org_id) where not system")
	profiles := func() (of map[string]any) {
		list := struct{ Members []map[string]any }{}
		w.mia.Do(http.MethodGet, "/users", params{"include_custom_profile_fields": true}).OK().Decode(&list)
		return list.Members[0]["profile_data"].(map[string]any)
	}
	servicetest.Same(t, "answers before", 2, len(profiles()))
	// Each step waits for this lock.
	w.db.Exec("select pg_advisory_lock(4, hashint8(1))")
	ctx, die := context.WithCancel(t.Context())
	result := make(chan error)
	who := w.ann.Actor(w.Org, nil)
	go func() { result <- w.Profiles.Remove(ctx, who, room) }()
	for len(storetest.Values[int64](w.db, "select change_id from changes")) == 0 {
		time.Sleep(time.Millisecond)
	}
	die()
	if err := <-result; err == nil {
		t.Fatal("the removal wasn't stopped")
	}
	w.db.Exec("select pg_advisory_unlock(4, hashint8(1))")
	servicetest.Same(t, "answers that are shown", 1, len(profiles()))
	servicetest.Same(t, "fields that are shown", "["+field(born, "Born", 4, "", "", 2)+"]", w.list(w.mia))
	servicetest.Same(t, "answers that are stored", 3003, len(storetest.Values[int64](w.db, "select user_id from profile_values where field_id = $1", room)))
	w.mia.Do(http.MethodPatch, "/users/me/profile_data", params{"data": []params{{"id": room, "value": "B12"}}}).
		Fails(http.StatusBadRequest, bad, "Field id "+at(room)[len(path)+1:]+" not found.")
	w.create("Room", 1, "") // the name is free

	w.Resume()
	servicetest.Same(t, "what is left of it", 0, len(storetest.Values[int64](w.db,
		"select field_id from profile_fields where field_id = $1 union all select field_id from profile_values where field_id = $1", room)))
	servicetest.Same(t, "other answers", 3003, len(storetest.Values[int64](w.db, "select user_id from profile_values")))
}
