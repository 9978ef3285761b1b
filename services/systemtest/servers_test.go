package systemtest_test

import (
	"context"
	"testing"

	"chatserver.dev/pkg/private"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// Servers are a test's own PostgreSQL and Redis, which it may kill and restart.
type Servers struct {
	Postgres *private.Postgres
	Redis    *private.Redis
}

// StartServers starts servers and migrates the database. When they are killed they lose nothing that they confirmed, but
// for the last second of Redis. The machine lives on, so nothing has to be on a disk for that.
func StartServers(t testing.TB) *Servers {
	t.Helper()
	return startServers(t, map[string]string{"synchronous_commit": "on"})
}

// startServers is StartServers with settings of PostgreSQL.
func startServers(t testing.TB, settings map[string]string) *Servers {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	postgres, err := private.StartPostgres(ctx, private.Options{Settings: settings})
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() { stop(t, postgres) })
	redis, err := private.StartRedis(ctx, private.Options{Settings: map[string]string{"appendonly": "yes"}})
	if err != nil {
		t.Fatalf("start Redis: %v", err)
	}
	t.Cleanup(func() { stop(t, redis) })
	if _, err := store.Migrate(ctx, postgres.URL("postgres")); err != nil {
		t.Fatal(err)
	}
	if err := store.MakeLogins(ctx, postgres.URL("postgres"), storetest.Logins()); err != nil {
		t.Fatal(err)
	}
	return &Servers{Postgres: postgres, Redis: redis}
}

func stop(t testing.TB, server interface{ Stop() error }) {
	t.Helper()
	if err := server.Stop(); err != nil {
		t.Errorf("stop a server: %v", err)
	}
}

// Env has the variables with the addresses of the servers.
func (s *Servers) Env() []string {
	logins := storetest.Logins()
	return []string{
		"DATABASE_URL=" + s.Postgres.URL("postgres"), "REDIS_URL=" + s.Redis.URL(),
		"DATABASE_SERVICE_USER=" + logins.ServiceUser, "DATABASE_EVERYWHERE_USER=" + logins.EverywhereUser,
	}
}

// Start starts a program on the servers and waits until it is ready, see [NewProcess].
func (s *Servers) Start(t testing.TB, command string, env ...string) *Process {
	t.Helper()
	p := NewProcess(t, command, append(s.Env(), env...)...)
	p.Start()
	return p
}
