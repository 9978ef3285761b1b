package subscriptions_test

import (
	"net/http"
	"strconv"
	"testing"

	"chatserver.dev/services/servicetest"
)

// The number of an organization's streams is limited by its setting, and a refused call creates none. Archived
// streams don't count.
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
	servicetest.Same(t, "streams after a refused call", there, len(streams(w)))
	w.ann.Do(http.MethodPost, own, params{"subscriptions": two}).OK()
	w.owner.Do(http.MethodPost, own, params{"subscriptions": three}).Fails(400, "BAD_REQUEST", full("1", limit))
	w.bob.Do(http.MethodPost, own, params{"subscriptions": two}).OK() // they exist
	w.owner.Do(http.MethodDelete, at("/streams/%d", w.hall), nil).OK()
	w.owner.Do(http.MethodPost, own, params{"subscriptions": three}).OK()
}

// The number of streams that an account creates in 24 hours is limited by the organization's setting, including
// archived ones. The error contains the time when the account can create more. Other accounts aren't affected, and
// neither is joining existing streams.
func TestStreamsOfADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	limit := func(n int) {
		w.db.Exec("update organizations set settings = jsonb_set(settings, '{max_streams_per_day}', to_jsonb($2::int)) where org_id = $1", w.Org.ID, n)
	}
	create := func(who servicetest.Account, names ...string) servicetest.Answer {
		return who.Do(http.MethodPost, own, params{"subscriptions": named(names...)})
	}
	limit(3) // Ann has already created two
	w.db.Exec("update streams set created_at = now() - interval '20 hours 10 seconds' where name = 'Hall'")
	w.db.Exec("update streams set created_at = now() - interval '10 hours 10 seconds' where name = 'cave'")
	const tooMany = "4 streams are more than an account can make in 24 hours (limit: 3). Ask for a higher limit."
	create(w.ann, "a", "b", "c", "d").Fails(400, "BAD_REQUEST", tooMany)
	w.ann.Do(http.MethodPatch, own, params{"add": named("a", "b", "c", "d")}).Fails(400, "BAD_REQUEST", tooMany)
	const refused = "%d more streams would be more than an account can make in 24 hours (limit: 3). Try again in %s, or ask for a higher limit."
	w.unchanged(t, func() {
		create(w.ann, "a", "b").Fails(400, "BAD_REQUEST", at(refused, 2, "4h0m"))
		create(w.ann, "a", "b", "c").Fails(400, "BAD_REQUEST", at(refused, 3, "14h0m"))
		w.ann.Do(http.MethodPatch, own, params{"add": named("a", "b")}).Fails(400, "BAD_REQUEST", at(refused, 2, "4h0m"))
	})
	create(w.ann, "a").OK()
	w.admin.Do(http.MethodDelete, at("/streams/%d", w.hall), nil).OK()
	create(w.ann, "b").Fails(400, "BAD_REQUEST", at(refused, 1, "4h0m"))
	create(w.ann, "a", "cave").OK()
	create(w.bob, "b").OK()
	create(w.robot, "c").OK()
	w.db.Exec("update streams set created_at = now() - interval '24 hours 1 second' where name = 'Hall'")
	create(w.ann, "d").OK()
	create(w.ann, "e").Fails(400, "BAD_REQUEST", at(refused, 1, "14h0m"))
	limit(5)
	create(w.ann, "e").OK()
	limit(0)
	create(w.owner, "f").Fails(400, "BAD_REQUEST", "1 streams are more than an account can make in 24 hours (limit: 0). Ask for a higher limit.")
}

// streams returns the number of active streams of the organization.
func streams(w *world) []any {
	reply := struct{ Streams []any }{}
	w.owner.Do(http.MethodGet, "/streams", params{"include_all_active": true}).OK().Decode(&reply)
	return reply.Streams
}

func number(n int) string { return strconv.Itoa(n) }
