package users_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClearAnswers(t *testing.T) {
	t.Parallel()
	w := newProfiles(t)
	const path = "/users/me/profile_data"
	w.mia.Do(http.MethodPatch, path, params{"data": []params{
		w.answer("Room", "B12"), w.answer("Drink", "t"), w.answer("Friends", []int64{int64(w.mia.ID)}),
	}}).OK()
	watch := w.ann.Watch("realm_user")
	w.mia.Do(http.MethodDelete, path, params{"data": []int64{w.fields["Friends"], w.fields["Born"], w.fields["Room"], w.fields["Room"]}}).OK()
	if diff := cmp.Diff([]string{w.answered(w.mia, "Friends", `"value":null`), w.answered(w.mia, "Room", `"value":null`)}, watch.Events()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"Drink": map[string]any{"value": "t"}}, w.of(w.mia)); diff != "" {
		t.Error(diff)
	}
	w.mia.Do(http.MethodDelete, path, params{"data": []int64{w.fields["Drink"], 987654321}}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "Field id 987654321 not found.")
	w.mia.Do(http.MethodDelete, path, params{"data": make([]int64, 101)}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "Too many answers: the request has 101, the limit is 100.")
	if events := watch.Events(); len(events) != 0 {
		t.Errorf("events of refused requests: %v", events)
	}
}
