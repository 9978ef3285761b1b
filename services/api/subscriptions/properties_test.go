package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func set(a servicetest.Account, data string) servicetest.Answer {
	return a.Do(http.MethodPost, own+"/properties", params{"subscription_data": data})
}

// mine returns the caller's subscription to one stream.
func mine(a servicetest.Account, stream int64) map[string]any {
	reply := struct{ Subscriptions []map[string]any }{}
	a.Do(http.MethodGet, own, nil).OK().Decode(&reply)
	for _, s := range reply.Subscriptions {
		if s["stream_id"] == float64(stream) {
			return s
		}
	}
	return nil
}

func TestSetProperties(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	anns, bobs, others := w.ann.Watch("subscription"), w.bob.Watch("subscription"), w.gus.Watch("subscription")
	data := at(`[{"stream_id":%[1]d,"property":"color","value":"#aBc"},{"stream_id":%[1]d,"property":"is_muted","value":true},`+
		`{"stream_id":%[2]d,"property":"in_home_view","value":true},{"stream_id":%[1]d,"property":"pin_to_top","value":true},`+
		`{"stream_id":%[2]d,"property":"pin_to_top","value":true},{"stream_id":%[2]d,"property":"pin_to_top","value":false},`+
		`{"stream_id":%[1]d,"property":"desktop_notifications","value":true},{"stream_id":%[1]d,"property":"audible_notifications","value":false},`+
		`{"stream_id":%[1]d,"property":"push_notifications","value":true},{"stream_id":%[1]d,"property":"email_notifications","value":false},`+
		`{"stream_id":%[1]d,"property":"wildcard_mentions_notify","value":true}]`, w.hall, w.cave)
	servicetest.Same(t, "answer", `{"result":"success","msg":"","subscription_data":`+data+"}\n", set(w.ann, data).OK().Body)

	got := mine(w.ann, w.hall)
	for property, want := range map[string]any{
		"color": "#aBc", "is_muted": true, "in_home_view": false, "pin_to_top": true, "desktop_notifications": true,
		"audible_notifications": false, "push_notifications": true, "email_notifications": false, "wildcard_mentions_notify": true,
	} {
		servicetest.Same(t, property, want, got[property])
	}
	cave := mine(w.ann, w.cave)
	servicetest.Same(t, "the other's pin_to_top", any(false), cave["pin_to_top"])
	servicetest.Same(t, "the other's is_muted", any(false), cave["is_muted"])
	servicetest.Same(t, "the other's email_notifications", nil, cave["email_notifications"])
	servicetest.Same(t, "somebody else's is_muted", any(false), mine(w.gus, w.hall)["is_muted"])

	update := func(stream int64, name, property, value string) string {
		return at(`{"type":"subscription","op":"update","email":"ann@chat.example","stream_id":%d,"name":"%s","property":"%s","value":%s}`, stream, name, property, value)
	}
	servicetest.Same(t, "Ann's events", []string{
		update(w.hall, "Hall", "color", `"#aBc"`), update(w.hall, "Hall", "in_home_view", "false"), update(w.cave, "cave", "in_home_view", "true"),
		update(w.hall, "Hall", "pin_to_top", "true"), update(w.cave, "cave", "pin_to_top", "true"), update(w.cave, "cave", "pin_to_top", "false"),
		update(w.hall, "Hall", "desktop_notifications", "true"), update(w.hall, "Hall", "audible_notifications", "false"),
		update(w.hall, "Hall", "push_notifications", "true"), update(w.hall, "Hall", "email_notifications", "false"),
		update(w.hall, "Hall", "wildcard_mentions_notify", "true"),
	}, anns.Events())
	set(w.ann, at(`[{"stream_id":%d,"property":"is_muted","value":true}]`, w.hall)).OK()
	servicetest.Same(t, "an event without a change", []string{update(w.hall, "Hall", "in_home_view", "false")}, anns.Events())
	set(w.gus, at(`[{"stream_id":%d,"property":"is_muted","value":false}]`, w.hall)).OK()
	set(w.robot, at(`[{"stream_id":%d,"property":"color","value":"#fff"}]`, w.hall)).OK()
	set(w.ann, `[]`).OK()
	servicetest.Same(t, "Ann's events about others", []string{}, anns.Events())
	servicetest.Same(t, "Bob's events", []string{}, bobs.Events())
	servicetest.Same(t, "the guest's events", 1, len(others.Events()))
}

func TestSetPropertiesRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before, events := mine(w.ann, w.hall), w.ann.Watch("subscription")
	const bad = "BAD_REQUEST"
	one := func(stream int64, property, value string) string {
		return at(`{"stream_id":%d,"property":"%s","value":%s}`, stream, property, value)
	}
	good := one(w.hall, "pin_to_top", "true") + ","
	for _, test := range []struct {
		who             servicetest.Account
		data, code, msg string
	}{
		{w.ann, good + one(w.hall, "stream_color", `"#fff"`), "", "Unknown subscription property: stream_color"},
		{w.ann, good + one(99999, "stream_color", `"#fff"`), "", "Unknown subscription property: stream_color"},
		{w.ann, good + one(99999, "color", `"#fff"`), bad, "Invalid stream id"},
		{w.bob, one(w.cave, "color", `"#fff"`), bad, "Invalid stream id"},
		{w.admin, one(w.cave, "color", `"#fff"`), bad, "Invalid stream id"},
		{w.stranger, one(w.hall, "color", `"#fff"`), bad, "Invalid stream id"},
		{w.bob, one(w.hall, "color", `"#fff"`), "", at("Not subscribed to stream id %d", w.hall)},
		{w.ann, good + one(w.hall, "is_muted", `"true"`), "", "is_muted is not a boolean"},
		{w.ann, good + one(w.hall, "in_home_view", `"x"`), "", "in_home_view is not a boolean"},
		{w.ann, good + one(w.hall, "color", "true"), "", "color is not a string"},
		{w.ann, good + one(w.hall, "color", `"red"`), "", "color is not a valid hex color code"},
		{w.ann, one(w.hall, "is_muted", "null"), bad, `subscription_data[0]["value"] is not an allowed_type`},
		{w.ann, good + one(w.hall, "is_muted", "1"), bad, `subscription_data[1]["value"] is not an allowed_type`},
		{w.ann, `{"stream_id":1}`, bad, `property key is missing from subscription_data[0]`},
	} {
		set(test.who, "["+test.data+"]").Fails(400, test.code, test.msg)
	}
	w.ann.Do(http.MethodPost, own+"/properties", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'subscription_data' argument")
	servicetest.Same(t, "what failed", before, mine(w.ann, w.hall))
	servicetest.Same(t, "events", []string{}, events.Events())
}
