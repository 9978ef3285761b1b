package messages_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/storetest"
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
	addresses := make([]string, message.MaxRecipients+1)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("nobody%d@chat.example", i)
	}
	const msg = "Too many recipients: the request has 301, the limit is 300."
	for _, to := range []any{many(message.MaxRecipients + 1), addresses} {
		ann.Do(http.MethodPost, "/messages", params{"type": "private", "to": to, "content": "hello"}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
	}
	ann.Do(http.MethodPost, "/messages", params{"type": "private", "to": many(message.MaxRecipients), "content": "hello"}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "Invalid user ID 1000000")
	ann.Do(http.MethodPost, "/typing", params{"op": "start", "to": many(message.MaxRecipients + 1)}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
}

// A conversation of as many members as are allowed can be stored, whatever their ids: they are in one entry of an index.
func TestLargestConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("insert into conversations (org_id, members) select $1, array_agg((random() * 9e18)::bigint) from generate_series(0, $2)", int64(ann.Org.ID), message.MaxRecipients)
}
