package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/subscription"
)

// list returns n different items.
func list[T any](n int, item func(i int) T) []T {
	items := make([]T, n)
	for i := range items {
		items[i] = item(i)
	}
	return items
}

// The numbers of streams and people in a request are limited, whether they are given by id or by name.
func TestTooManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := func(n int) []string { return list(n, func(i int) string { return at("attic %d", i) }) }
	wanted := func(n int) []params { return list(n, func(i int) params { return params{"name": at("attic %d", i)} }) }
	people := func(n int) []int64 { return list(n, func(i int) int64 { return int64(1_000_000 + i) }) }
	addresses := list(subscription.MaxPeople+1, func(i int) string { return at("nobody%d@chat.example", i) })
	const (
		streams     = "Too many streams: the request has 101, the limit is 100."
		principals  = "Too many principals: the request has 1001, the limit is 1000."
		memberships = "Too many subscriptions at once: 11 streams for 1000 principals are 11000, the limit is 10000."
	)
	for _, test := range []struct {
		method string
		p      params
		msg    string
	}{
		{http.MethodPost, params{"subscriptions": wanted(101)}, streams},
		{http.MethodPost, params{"subscriptions": wanted(1), "principals": people(1001)}, principals},
		{http.MethodPost, params{"subscriptions": wanted(1), "principals": addresses}, principals},
		{http.MethodPost, params{"subscriptions": wanted(11), "principals": people(1000)}, memberships},
		{http.MethodDelete, params{"subscriptions": names(101)}, streams},
		{http.MethodDelete, params{"subscriptions": names(1), "principals": people(1001)}, principals},
		{http.MethodDelete, params{"subscriptions": names(11), "principals": people(1000)}, memberships},
		{http.MethodPatch, params{"add": wanted(51), "delete": names(50)}, streams},
		{http.MethodPatch, params{"add": wanted(1), "principals": people(1001)}, principals},
		{http.MethodPatch, params{"add": wanted(5), "delete": names(6), "principals": people(1000)}, memberships},
		// The maximum number. These ids don't exist.
		{http.MethodPost, params{"subscriptions": wanted(10), "principals": people(1000)}, "User not authorized to execute queries on behalf of '1000000'"},
	} {
		w.unchanged(t, func() {
			answer := w.admin.Do(test.method, own, test.p)
			if test.msg == memberships || test.msg == principals || test.msg == streams {
				answer.Fails(http.StatusBadRequest, "BAD_REQUEST", test.msg)
			} else {
				answer.Fails(http.StatusForbidden, "UNAUTHORIZED_PRINCIPAL", test.msg)
			}
		})
	}
	w.ann.Do(http.MethodPost, own, params{"subscriptions": wanted(100)}).OK()
	w.ann.Do(http.MethodPatch, own, params{"add": wanted(50), "delete": names(50)}).OK()
	w.ann.Do(http.MethodDelete, own, params{"subscriptions": names(100)}).OK()

	muted := func(n int) []params {
		return list(n, func(int) params { return params{"stream_id": w.hall, "property": "is_muted", "value": true} })
	}
	w.ann.Do(http.MethodPost, own+"/properties", params{"subscription_data": muted(1001)}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "Too many properties: the request has 1001, the limit is 1000.")
	w.ann.Do(http.MethodPost, own+"/properties", params{"subscription_data": muted(1000)}).OK()
}
