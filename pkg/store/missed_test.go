package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"chatserver.dev/pkg/store"
)

// Messages that can't be processed are tried again: once, or until the database can be reached.
func TestNewMessagesFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	sender, stream := w.users(org, 1)[0], w.streams(org, "hall")[0]
	shard := int16(w.db.Shard(org))
	unseen := func() bool {
		shards, err := w.db.UnseenShards(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(shards, shard)
	}
	unseen() // from here on
	send := func() {
		if _, ok, err := w.db.Send(t.Context(), org, to(sender, stream, "hello")); err != nil || !ok {
			t.Fatal(ok, err)
		}
		for deadline := time.Now().Add(30 * time.Second); !unseen(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the log has no new message")
			}
		}
	}
	try := func(what string, failure error, calls int) {
		t.Helper()
		made := 0
		_, err := w.db.NewMessages(t.Context(), shard, 0, func(store.Found) error {
			made++
			return failure
		})
		if made != calls || calls > 0 && !errors.Is(err, failure) || calls == 0 && err != nil {
			t.Errorf("%s: %d calls, %v", what, made, err)
		}
	}
	broken := errors.New("broken")

	send()
	try("the first attempt", broken, 1)
	try("the second attempt", nil, 1)
	try("it succeeded", broken, 0)
	send()
	try("the first attempt", broken, 1)
	try("the last attempt", broken, 1)
	try("it was skipped", broken, 0)
	send()
	for range 5 {
		try("no database", store.ErrUnavailable, 1)
	}
	try("the database is back", nil, 1)
	try("it succeeded", broken, 0)
}
