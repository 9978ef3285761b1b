package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestSetProperty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := w.ann.Watch("subscription")
	one := func(a servicetest.Account, stream int64, property, value string) servicetest.Answer {
		return a.Do(http.MethodPatch, at("%s/%d", own, stream), params{"property": property, "value": value})
	}
	answer := func(property, value string) string {
		return at(`{"result":"success","msg":"","subscription_data":[{"stream_id":%d,"property":"%s","value":%s}]}`+"\n", w.hall, property, value)
	}
	servicetest.Same(t, "color", answer("color", `"#00f"`), one(w.ann, w.hall, "color", "#00f").OK().Body)
	servicetest.Same(t, "is_muted", answer("is_muted", "true"), one(w.ann, w.hall, "is_muted", "true").OK().Body)
	servicetest.Same(t, "pin_to_top", answer("pin_to_top", "false"), one(w.ann, w.hall, "pin_to_top", "false").OK().Body)
	one(w.ann, w.hall, "is_muted", "1").Fails(400, "", "is_muted is not a boolean")
	one(w.ann, w.hall, "color", "true").Fails(400, "", "color is not a valid hex color code")
	one(w.ann, w.hall, "name", "x").Fails(400, "", "Unknown subscription property: name")
	one(w.bob, w.hall, "color", "#fff").Fails(400, "", at("Not subscribed to stream id %d", w.hall))
	one(w.bob, w.cave, "color", "#fff").Fails(400, "BAD_REQUEST", "Invalid stream id")
	w.ann.Do(http.MethodPatch, at("%s/%d", own, w.hall), params{"property": "color"}).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'value' argument")
	got := mine(w.ann, w.hall)
	servicetest.Same(t, "stored", []any{"#00f", true, false}, []any{got["color"], got["is_muted"], got["pin_to_top"]})
	servicetest.Same(t, "events", 3, len(events.Events()))
}
