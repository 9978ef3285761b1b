package systemtest_test

import (
	"context"
	"testing"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/storetest"
)

// Servers are a test's own PostgreSQL and Redis, which it may kill and restart.
type Servers struct {
	Postgres *localserver.Postgres
	Redis    *localserver.Redis
}

// StartServers starts servers with a migrated database. When they are killed, they lose no confirmed data except the
// last second of Redis. They don't wait for the disk, which only a crash of the machine would require.
func StartServers(t testing.TB) *Servers {
	t.Helper()
	return startServers(t, map[string]string{"synchronous_commit": "on"})
}

// startServers is like StartServers, with settings of PostgreSQL.
func startServers(t testing.TB, settings map[string]string) *Servers {
	t.Helper()
	postgres := storetest.StartServer(t, localserver.Options{Settings: settings})
	redis, err := localserver.StartRedis(context.WithoutCancel(t.Context()), localserver.Options{Settings: map[string]string{"appendonly": "yes"}})
	if err != nil {
		t.Fatalf("start Redis: %v", err)
	}
	t.Cleanup(func() {
		if err := redis.Stop(); err != nil {
			t.Errorf("stop Redis: %v", err)
		}
	})
	return &Servers{Postgres: postgres, Redis: redis}
}

// Env returns the variables with the addresses of the servers.
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
