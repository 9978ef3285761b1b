package profilefields_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestReorder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, c := w.create("A", 1, ""), w.create("B", 1, ""), w.create("C", 1, "")
	w.watch.Events()
	w.ann.Do(http.MethodPatch, path, params{"order": []int64{c, 987654321, a, c, b}}).OK()
	want := []string{field(c, "C", 1, "", "", 1), field(a, "A", 1, "", "", 2), field(b, "B", 1, "", "", 3)}
	servicetest.Same(t, "events", []string{event("update", want...)}, w.watch.Events())
	d := w.create("D", 1, "")
	servicetest.Same(t, "a new one is the last", []string{event("add", append(want, field(d, "D", 1, "", "", 4))...)}, w.watch.Events())

	for _, order := range [][]int64{{}, {a, b, c}} {
		w.ann.Do(http.MethodPatch, path, params{"order": order}).Fails(http.StatusBadRequest, bad, "Invalid order mapping.")
	}
	w.mia.Do(http.MethodPatch, path, params{"order": []int64{a, b, c, d}}).
		Fails(http.StatusBadRequest, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	servicetest.Same(t, "events of what was refused", []string{}, w.watch.Events())
}
