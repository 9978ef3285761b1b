package profilefields_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	room := w.create("Room", 1, "")
	drink := w.create("Drink", 3, `{"0": {"text": "Tea", "order": "1"}}`)
	w.watch.Events()
	w.ann.Do(http.MethodPatch, at(room), params{"name": " room", "hint": "which", "field_data": `{"ignored": 1}`}).OK()
	w.ann.Do(http.MethodPatch, at(drink), params{"name": "Drink", "field_data": `{"1": {"text": "Beer", "order": "1"}}`}).OK()
	w.ann.Do(http.MethodPatch, at(room), params{"name": "room"}).OK()
	other := field(drink, "Drink", 3, "", `{"0":{"order":"1","text":"Tea"}}`, 2)
	now := field(drink, "Drink", 3, "", `{"1":{"order":"1","text":"Beer"}}`, 2)
	servicetest.Same(t, "events", []string{
		event("update", field(room, "room", 1, "which", "", 1), other),
		event("update", field(room, "room", 1, "which", "", 1), now),
		event("update", field(room, "room", 1, "", "", 1), now),
	}, w.watch.Events())
}

func TestChangeRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("Room", 1, "")
	of := map[any]int64{
		1: w.create("Text", 1, ""), 3: w.create("Choice", 3, `{"0": {"text": "Tea", "order": "1"}}`),
		7: w.create("Account", 7, `{"subtype": "custom", "url_pattern": "https://x.example/%(username)s"}`),
	}
	fixed := w.create("", 7, `{"subtype": "twitter"}`)
	w.watch.Events()
	for _, d := range drafts() {
		w.ann.Do(http.MethodPatch, at(of[d.params["field_type"]]), d.params).Fails(http.StatusBadRequest, d.code, d.msg)
	}
	for number, msg := range map[int64]string{fixed: "Default custom field cannot be updated.", 987654321: "Field id 987654321 not found."} {
		w.ann.Do(http.MethodPatch, at(number), params{"name": ""}).Fails(http.StatusBadRequest, "", msg)
	}
	w.mia.Do(http.MethodPatch, at(fixed), params{"name": "x"}).
		Fails(http.StatusBadRequest, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	servicetest.Same(t, "events of what was refused", []string{}, w.watch.Events())
}
