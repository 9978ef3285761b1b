package bounds_test

import (
	"fmt"
	"sync"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// A call that waits for the marks of an organization's messages has written nothing yet: otherwise the events of all
// organizations would wait with it, and for all that it reads then.
func TestReadsComeBeforeWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	stream := w.crowded(40)
	first := storetest.Values[int64](w.sql, "select min(message_id) from messages where stream_id = $1 and topic = 'valve'", stream)[0]
	w.sql.Exec("update messages set sender_id = $1 where message_id = $2", w.ada.ID, first)
	holder := storetest.Connect(t, w.DatabaseURL)
	message := fmt.Sprintf("/messages/%d", first)
	for _, test := range []struct {
		what   string
		change params
	}{
		{"an edit", params{"content": "the first, and @**all**"}},
		{"a move", params{"topic": "elsewhere", "propagate_mode": "change_all"}},
	} {
		holder.Exec("select pg_advisory_lock(-$1::bigint)", int64(w.Org.ID))
		calling := sync.WaitGroup{}
		calling.Go(func() { w.ada.Do("PATCH", message, test.change).OK() })
		w.awaitLock(test.what)
		holder.Exec("select pg_advisory_unlock(-$1::bigint)", int64(w.Org.ID))
		calling.Wait()
	}
}

// awaitLock returns when a call waits for a lock, and fails the test if its transaction has an id, which is what writing takes.
func (w *world) awaitLock(what string) {
	w.t.Helper()
	if w.sql.AwaitBlocked(1) > 0 {
		w.t.Errorf("%s has written before it waits", what)
	}
}
