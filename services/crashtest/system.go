// Package crashtest kills the services, PostgreSQL and Redis while they work, and shows that no client
// notices: the test in it is what holds the first invariant of the event path.
package crashtest

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/systemtest"
)

// System is PostgreSQL, Redis and the services on them. It ends with the test.
type System struct {
	t       testing.TB
	servers *systemtest.Servers
	ended   atomic.Int64
}

// Start starts the servers, with a migrated database.
func Start(t testing.TB) *System {
	t.Helper()
	return &System{t: t, servers: systemtest.StartServers(t, true)}
}

// DatabaseURL is PostgreSQL's address, for a superuser.
func (s *System) DatabaseURL() string { return s.servers.Postgres.URL("postgres") }

// RedisURL is Redis' address.
func (s *System) RedisURL() string { return s.servers.Redis.URL() }

// KillPostgres kills PostgreSQL and starts it again.
func (s *System) KillPostgres(ctx context.Context) error {
	if err := s.servers.Postgres.Kill(); err != nil {
		return err
	}
	return s.servers.Postgres.Restart(context.WithoutCancel(ctx))
}

// KillRedis kills Redis and starts it again.
func (s *System) KillRedis(ctx context.Context) error {
	if err := s.servers.Redis.Kill(); err != nil {
		return err
	}
	return s.servers.Redis.Restart(context.WithoutCancel(ctx))
}

// Ended is how often a process of a service ended, by itself or not.
func (s *System) Ended() int { return int(s.ended.Load()) }

// Account is somebody who can log in.
type Account struct {
	UserID int64
	Email  string
	Key    string
}

// nobody is a waker for writes that nobody waits for.
type nobody struct{}

func (nobody) Wake(int) {}

// Organization makes an organization with that many members.
func (s *System) Organization(t testing.TB, members int) []Account {
	t.Helper()
	ctx := t.Context()
	db, err := store.Open(ctx, store.Config{URL: s.DatabaseURL(), Connections: 2, StatementTimeout: time.Minute, IdleTimeout: time.Minute}, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	orgs := org.New(db, org.Config{ExternalHost: "127.0.0.1", ExternalScheme: "http"}, time.Now)
	users := user.New(db, orgs, time.Now)
	accounts := []Account(nil)
	_, err = orgs.Create(ctx, org.Draft{Name: "System test", Settings: org.Defaults()}, func(tx *store.Tx, made org.Org) error {
		for i := range members {
			role := actor.Member
			if i == 0 {
				role = actor.Owner
			}
			email := fmt.Sprintf("person%d@chat.example", i)
			u, key, err := users.Create(ctx, tx, made, user.Draft{RealEmail: email, FullName: fmt.Sprintf("Person %d", i), Role: role})
			if err != nil {
				return err
			}
			accounts = append(accounts, Account{UserID: int64(u.ID), Email: email, Key: key})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// environ is what every service needs.
func (s *System) environ(addr string, more []string) []string {
	env := append(append(os.Environ(), s.servers.Env()...), "CHAT_ADDR="+addr, "EXTERNAL_HOST=127.0.0.1",
		"RATE_LIMIT_PER_USER=1000000/60s", "LOG_FORMAT=text", "SHUTDOWN_GRACE=5s")
	return append(env, more...)
}
