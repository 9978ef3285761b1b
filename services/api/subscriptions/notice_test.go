package subscriptions_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// flags returns the flags of the messages in a queue, by content.
func flags(t *testing.T, watch *servicetest.Watch) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	for _, raw := range watch.Events() {
		e := servicetest.Event{}
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			t.Fatal(err)
		}
		content, ok := e.Message["content"].(string)
		if !ok {
			t.Fatalf("a message without content: %s", raw)
		}
		got[content] = e.Flags
	}
	return got
}

// The notification bot's message about a request is read for the caller, and for no other account.
func TestNoticesAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Exec("update organizations set settings = settings || jsonb_build_object('notifications_stream_id', $1::bigint) where org_id = $2", w.hall, w.Org.ID)
	anns, bobs, guests := w.ann.Watch("message"), w.bob.Watch("message"), w.gus.Watch("message")
	pumps := w.ann.NewStream("Pumps", params{"announce": true, "principals": servicetest.IDs(w.ann, w.bob)})
	vault := w.ann.NewStream("vault", params{"announce": true, "invite_only": true, "principals": servicetest.IDs(w.bob)}) // without Ann
	created := at("Stream created by @_**Ann|%d**.", w.ann.ID)
	announced := func(name string) string { return at("@_**Ann|%d** created a new stream #**%s**.", w.ann.ID, name) }
	servicetest.Same(t, "Ann's", map[string][]string{created: {"read"}, announced("Pumps"): {"read"}, announced("vault"): {"read"}}, flags(t, anns))
	servicetest.Same(t, "Bob's", map[string][]string{created: {}}, flags(t, bobs)) // twice
	servicetest.Same(t, "the guest's", map[string][]string{announced("Pumps"): {}, announced("vault"): {}}, flags(t, guests))

	marks := storetest.Values[string](w.db, `select concat_ws(' ', user_id, name, t.topic_key, bool_and(read @> message_id), count(*))
		from topic_marks t join streams using (org_id, stream_id) join messages using (org_id, stream_id)
		where t.topic_key = messages.topic_key and stream_id in ($1, $2, $3) group by user_id, name, t.topic_key order by name`, w.hall, pumps, vault)
	servicetest.Same(t, "what is marked as read", []string{
		at("%d Hall new streams t 2", w.ann.ID), at("%d Hall stream events t 1", w.ann.ID), at("%d Pumps stream events t 1", w.ann.ID),
	}, marks)
	w.ann.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Pumps"}]`}).OK()
	servicetest.Same(t, "notices without something new", map[string][]string{}, flags(t, anns))
}

// The notification bot speaks the organization's language in streams, and a person's to that person.
func TestNoticesInLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Exec(`update organizations set settings = settings || jsonb_build_object('default_language', 'de', 'notifications_stream_id', $1::bigint)
		where org_id = $2`, w.hall, w.Org.ID)
	w.bob.Do(http.MethodPatch, "/settings/display", params{"default_language": "de"}).OK()
	said := func(by func()) []string {
		before := storetest.Values[int64](w.db, "select coalesce(max(message_id), 0) from messages")[0]
		by()
		return storetest.Values[string](w.db, `select concat_ws(': ', nullif(topic, ''), content) from messages where message_id > $1 order by message_id`, before)
	}
	ann := at("@_**Ann|%d**", w.ann.ID)

	pumps := int64(0)
	servicetest.Same(t, "new streams", []string{
		"neue Streams: " + ann + " hat den Stream #**Pumps** angelegt.", "Änderungen am Stream: " + ann + " hat diesen Stream angelegt.",
	}, said(func() { pumps = w.ann.NewStream("Pumps", params{"announce": true}) }))
	servicetest.Same(t, "renamed", []string{at("Änderungen am Stream: @_**Ada|%d** hat den Stream **Pumps** in **Valves** umbenannt.", w.admin.ID)}, said(func() {
		w.admin.Do(http.MethodPatch, at("/streams/%d", pumps), params{"new_name": "Valves"}).OK()
	}))
	servicetest.Same(t, "to people", []string{
		"@**Ann** hat dich zum Stream #**Valves** hinzugefügt.", "@**Ann** subscribed you to the stream #**Valves**.",
	}, said(func() {
		w.ann.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Valves"}]`, "principals": servicetest.IDs(w.bob, w.gus)}).OK()
	}))
}
