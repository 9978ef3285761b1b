package systemtest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// System has durable servers, and services that are restarted whenever they end, as Kubernetes does. The services reach
// the servers over wires, which can be severed.
type System struct {
	*Servers

	PostgresWire, RedisWire *testbed.Wire // Redis has none where it is a cluster

	t     testing.TB
	queue queue.Config         // Redis, as the test connects to it
	nodes []*localserver.Redis // of which Redis consists
	ended atomic.Int64
}

// StartSystem starts the servers, with a migrated database.
func StartSystem(t testing.TB) *System {
	t.Helper()
	servers := StartServers(t)
	return &System{
		Servers: servers, t: t, queue: queue.Config{URL: servers.Redis.URL()}, nodes: []*localserver.Redis{servers.Redis},
		PostgresWire: testbed.NewWire(t, filepath.Join(servers.Postgres.SocketDir(), ".s.PGSQL.5432")),
		RedisWire:    testbed.NewWire(t, servers.Redis.Socket()),
	}
}

// StartClusterSystem is like StartSystem, with a Redis Cluster of three nodes, each of which has some of the shards.
func StartClusterSystem(t testing.TB) *System {
	t.Helper()
	s := StartSystem(t)
	s.queue.Topology, s.RedisWire = "cluster", nil
	s.queue.URL, s.nodes = testbed.RedisCluster(t)
	return s
}

// DatabaseURL returns the database's URL for a superuser.
func (s *System) DatabaseURL() string { return s.Postgres.URL("postgres") }

// KillPostgres ends PostgreSQL by SIGKILL and starts it again.
func (s *System) KillPostgres(ctx context.Context) error {
	if err := s.Postgres.Kill(); err != nil {
		return fmt.Errorf("kill PostgreSQL: %w", err)
	}
	return s.Postgres.Restart(context.WithoutCancel(ctx))
}

// KillRedis ends Redis, or one of its nodes, by SIGKILL and starts it again.
func (s *System) KillRedis(ctx context.Context) error {
	node := s.nodes[rand.IntN(len(s.nodes))]
	if err := node.Kill(); err != nil {
		return fmt.Errorf("kill Redis: %w", err)
	}
	return node.Restart(context.WithoutCancel(ctx))
}

// Unplug makes Redis unreachable for a time. Its connections stay dead afterwards, without being closed. In a cluster,
// one node is stopped instead, which the others detect.
func (s *System) Unplug(ctx context.Context, d time.Duration) error {
	if s.RedisWire != nil {
		s.RedisWire.Sever()
		pause(ctx, d)
		s.RedisWire.Mend()
		return nil
	}
	pid := s.nodes[rand.IntN(len(s.nodes))].PID()
	err := syscall.Kill(pid, syscall.SIGSTOP)
	pause(ctx, d)
	return errors.Join(err, syscall.Kill(pid, syscall.SIGCONT))
}

// Service starts a program, with very high rate limits, and waits until it is ready. Whenever it ends, it is restarted
// at the same address, until the test ends.
func (s *System) Service(command string, env ...string) *Process {
	s.t.Helper()
	p := s.Start(s.t, command, append(s.Wired(), env...)...)
	p.keep(&s.ended)
	return p
}

// Wired returns variables for a service on the wires, with very high rate limits.
func (s *System) Wired() []string {
	redis := s.queue.URL
	if s.RedisWire != nil {
		redis = "redis://" + s.RedisWire.Addr()
	}
	return []string{
		"DATABASE_URL=postgres://postgres@" + s.PostgresWire.Addr() + "/postgres?sslmode=disable",
		"REDIS_URL=" + redis, "REDIS_TOPOLOGY=" + cmp.Or(s.queue.Topology, "single"), "RATE_LIMIT_PER_USER=1000000/60s",
	}
}

// Ended returns the number of restarts of services.
func (s *System) Ended() int { return int(s.ended.Load()) }

// Account is a person who can log in.
type Account struct {
	Org    id.Org
	Email  string
	Key    string
	UserID int64
}

// Organization creates an organization at the root domain with a number of members, the first of whom is its owner.
func (s *System) Organization(t testing.TB, members int) []Account {
	t.Helper()
	return s.OrganizationAt(t, "", members)
}

// OrganizationAt is like Organization, at a subdomain.
func (s *System) OrganizationAt(t testing.TB, subdomain string, members int) []Account {
	t.Helper()
	ctx := t.Context()
	db, err := store.Open(ctx, store.Config{URL: s.DatabaseURL(), Logins: storetest.Logins(), Connections: 2, IdleTimeout: time.Minute}, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	orgs := org.New(db, org.Config{ExternalHost: "localhost:8080", ExternalScheme: "http"}, time.Now)
	users := user.New(db, orgs, time.Now)
	accounts := []Account(nil)
	_, err = orgs.Create(ctx, org.Draft{Subdomain: subdomain, Name: "System test", Settings: org.Defaults()}, func(tx *store.Tx, made org.Org) error {
		for i := range members {
			draft := user.Draft{RealEmail: fmt.Sprintf("person%d@system.example", i), FullName: fmt.Sprintf("Person %d", i), Role: actor.Member}
			if i == 0 {
				draft.Role = actor.Owner
			}
			u, key, err := users.Create(ctx, tx, made, draft)
			if err != nil {
				return err
			}
			accounts = append(accounts, Account{made.ID, draft.RealEmail, key, int64(u.ID)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// nobody ignores wake-ups, because no service runs yet.
type nobody struct{}

// Wake does nothing.
func (nobody) Wake(int) {}
