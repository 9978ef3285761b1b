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
	pumps := w.make(w.ann, "Pumps", params{"announce": true, "principals": ids(w.ann, w.bob)})
	vault := w.make(w.ann, "vault", params{"announce": true, "invite_only": true, "principals": ids(w.bob)}) // without Ann
	created := at("Stream created by @_**Ann|%d**.", w.ann.ID)
	announced := func(name string) string { return at("@_**Ann|%d** created a new stream #**%s**.", w.ann.ID, name) }
	same(t, "Ann's", map[string][]string{created: {"read"}, announced("Pumps"): {"read"}, announced("vault"): {"read"}}, flags(t, anns))
	same(t, "Bob's", map[string][]string{created: {}}, flags(t, bobs)) // twice
	same(t, "the guest's", map[string][]string{announced("Pumps"): {}, announced("vault"): {}}, flags(t, guests))

	marks := storetest.Values[string](w.db, `select concat_ws(' ', user_id, name, t.topic_key, bool_and(read @> message_id), count(*))
		from topic_marks t join streams using (org_id, stream_id) join messages using (org_id, stream_id)
		where t.topic_key = messages.topic_key and stream_id in ($1, $2, $3) group by user_id, name, t.topic_key order by name`, w.hall, pumps, vault)
	same(t, "what is marked as read", []string{
		at("%d Hall new streams t 2", w.ann.ID), at("%d Hall stream events t 1", w.ann.ID), at("%d Pumps stream events t 1", w.ann.ID),
	}, marks)
	w.ann.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Pumps"}]`}).OK()
	same(t, "notices without something new", map[string][]string{}, flags(t, anns))
}
