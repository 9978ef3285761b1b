package dispatch_test

import (
	"testing"

	"chatserver.dev/pkg/storetest"
)

// The database knows which server uses it, with a Redis that keeps its id.
func TestUseOfTheDatabaseIsNoted(t *testing.T) {
	t.Parallel()
	w := open(t)
	d := w.dispatcher("a")
	d.Host = "chat.example"
	d.NoteUse(t.Context())
	id, err := w.redis.ID(t.Context())
	w.must(err)
	d.NoteUse(t.Context())
	query := "select host || ' ' || redis || ' ' || (used_at > now() - interval '1 minute')::text from installation"
	if got, want := storetest.Values[string](w.super, query)[0], "chat.example "+id+" true"; id == "" || got != want {
		t.Errorf("it is %q, not %q", got, want)
	}
}
