package subscriptions_test

import (
	"net/http"
	"strconv"
	"testing"
)

// An organization gets no more streams than its setting says, whoever asks, and a refused call makes none.
// Archived streams don't count.
func TestFullOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	there := len(streams(w))
	w.db.Exec("update organizations set settings = jsonb_set(settings, '{max_streams}', to_jsonb($2::int)) where org_id = $1", w.Org.ID, there+2)
	const refused = "more streams would be more than this organization can have (limit: "
	two, three := `[{"name":"new 1"},{"name":"new 2"}]`, `[{"name":"new 1"},{"name":"new 2"},{"name":"new 3"}]`
	full := func(count, limit string) string {
		return count + " " + refused + limit + "). Archive streams that nobody needs, or ask for a higher limit."
	}
	limit := number(there + 2)
	w.ann.Do(http.MethodPost, own, params{"subscriptions": three}).Fails(400, "BAD_REQUEST", full("3", limit))
	w.ann.Do(http.MethodPatch, own, params{"add": three}).Fails(400, "BAD_REQUEST", full("3", limit))
	same(t, "streams after a refused call", there, len(streams(w)))
	w.ann.Do(http.MethodPost, own, params{"subscriptions": two}).OK()
	w.owner.Do(http.MethodPost, own, params{"subscriptions": three}).Fails(400, "BAD_REQUEST", full("1", limit))
	w.bob.Do(http.MethodPost, own, params{"subscriptions": two}).OK() // they are there
	w.owner.Do(http.MethodDelete, at("/streams/%d", w.hall), nil).OK()
	w.owner.Do(http.MethodPost, own, params{"subscriptions": three}).OK()
}

// streams are the active ones of the organization.
func streams(w *world) []any {
	reply := struct{ Streams []any }{}
	w.owner.Do(http.MethodGet, "/streams", params{"include_all_active": true}).OK().Decode(&reply)
	return reply.Streams
}

func number(n int) string { return strconv.Itoa(n) }
