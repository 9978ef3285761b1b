package inbox_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// Marking a message as read waits for the database once, whether its stream has been read up to it or many messages
// before it are unread.
func TestMarkingIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	w, ada, _, _ := subscribed(t, 4000)
	config, err := pgx.ParseConfig(w.url)
	if err != nil {
		t.Fatal(err)
	}
	wire := testbed.NewWire(t, filepath.Join(config.Host, ".s.PGSQL.5432"))
	db, err := store.Open(t.Context(), store.Config{
		URL:    "postgres://" + config.User + "@" + wire.Addr() + "/" + config.Database + "?sslmode=disable",
		Logins: storetest.Logins(), Connections: 1, AnswerTimeout: 20 * time.Second,
	}, unwoken{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	service := inbox.New(db)
	mark := func(m id.Message) int {
		t.Helper()
		before := wire.RoundTrips()
		if err := service.SetFlags(t.Context(), ada, read1(m)); err != nil {
			t.Fatal(err)
		}
		return wire.RoundTrips() - before
	}
	mark(1) // the connection is opened, and the statement is prepared
	for what, m := range map[string]id.Message{"read up to it": 2, "many are unread before it": 3900} {
		if trips := mark(m); trips != 1 {
			t.Errorf("%s: %d round trips, want 1", what, trips)
		}
	}
	if left := list(w.unread(w.acme, ada.User)); len(left) != 3997 {
		t.Errorf("%d messages are unread, want 3997", len(left))
	}
}

// unwoken is a waker for tests without a dispatcher.
type unwoken struct{}

// Wake implements store.Waker.
func (unwoken) Wake(int) {}
