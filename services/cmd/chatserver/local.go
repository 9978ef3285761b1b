package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"chatserver.dev/pkg/localserver"
)

// server is a private PostgreSQL or Redis server.
type server interface {
	Stop() error
}

// checkServers fails if the settings of a server's address are incomplete. Private servers would hide that.
func (s *settings) checkServers() error {
	if s.RedisURL == "" && s.Topology != "single" {
		return fmt.Errorf("REDIS_TOPOLOGY is %s, but REDIS_URL is missing: set it to the address of one of the servers", s.Topology)
	}
	if !s.Store.Given() && s.Store.Host != "" && s.Store.Name != "" {
		return errors.New("PGUSER is missing: PGHOST, PGDATABASE and PGUSER are needed together; without any of them, a private PostgreSQL is started")
	}
	return nil
}

// startServers starts private servers for those without an address in the settings, and sets their addresses.
func startServers(ctx context.Context, s *settings) ([]server, error) {
	if !s.Store.Given() || s.RedisURL == "" {
		if err := os.MkdirAll(s.LocalDir, 0o755); err != nil { //nolint:gosec // PostgreSQL has an account of its own, which must pass through
			return nil, fmt.Errorf("CHAT_LOCAL_DIR: make the directory: %w", err)
		}
	}
	// The servers are stopped explicitly, after everything that uses them.
	ctx = context.WithoutCancel(ctx)
	postgres, redis := (*localserver.Postgres)(nil), (*localserver.Redis)(nil)
	errs, started := [2]error{}, sync.WaitGroup{}
	started.Go(func() {
		if !s.Store.Given() {
			postgres, errs[0] = localserver.StartPostgres(ctx, localserver.Options{Dir: filepath.Join(s.LocalDir, "postgres"), Durable: true})
		}
	})
	started.Go(func() {
		if s.RedisURL == "" {
			redis, errs[1] = localserver.StartRedis(ctx, localserver.Options{Dir: filepath.Join(s.LocalDir, "redis"), Durable: true})
		}
	})
	started.Wait()
	servers := []server(nil)
	if postgres != nil {
		servers = append(servers, postgres)
		s.Store.URL, s.Demo, s.private = postgres.URL("postgres"), true, true
	}
	if redis != nil {
		servers = append(servers, redis)
		s.RedisURL = redis.URL()
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, stopServers(servers, fmt.Errorf("start PostgreSQL and Redis: %w", err))
	}
	return servers, nil
}

// stopServers stops the private servers. It returns err joined with their errors.
func stopServers(servers []server, err error) error {
	for _, s := range servers {
		err = errors.Join(err, s.Stop())
	}
	return err
}
