package admin_test

import (
	"net/url"
	"strings"
	"testing"

	domain "chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

func TestHealth(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	if health := must(w.Health(t.Context()))(t); health != (adminapi.Health{}) {
		t.Errorf("all is well, and it says %+v", health)
	}
	client, err := queue.Connect(queue.Config{URL: "redis://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	at, err := url.Parse(w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	query.Set("default_transaction_read_only", "on")
	at.RawQuery = query.Encode()
	db, err := store.Open(t.Context(), store.Config{URL: at.String()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	got := domain.New(domain.Deps{DB: db, Redis: queue.New(client)}).Health(t.Context())
	if !strings.Contains(got.Database, "accepts no writes: use the address of the primary server") || !strings.Contains(got.Cache, "Redis at 127.0.0.1:1 can't be reached") {
		t.Errorf("it says %+v", got)
	}
}
