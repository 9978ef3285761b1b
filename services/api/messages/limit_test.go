package messages_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
)

// many returns ids that don't exist.
func many(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(1_000_000 + i)
	}
	return list
}

// The number of a private message's recipients is limited, whether they are given by id or address.
func TestTooManyRecipients(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	addresses := make([]string, 1001)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("nobody%d@chat.example", i)
	}
	const msg = "Too many recipients: the request has 1001, the limit is 1000."
	for _, to := range []any{many(1001), addresses} {
		ann.Do(http.MethodPost, "/messages", params{"type": "private", "to": to, "content": "hello"}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
	}
	ann.Do(http.MethodPost, "/messages", params{"type": "private", "to": many(1000), "content": "hello"}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "Invalid user ID 1000000")
	ann.Do(http.MethodPost, "/typing", params{"op": "start", "to": many(1001)}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
}
