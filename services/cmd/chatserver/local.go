package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"chatserver.dev/pkg/private"
)

// server is a PostgreSQL or Redis server of our own.
type server interface {
	Stop() error
}

// startServers starts what the settings name no server for, both at the same time, and fills in where
// they are.
func startServers(ctx context.Context, s *settings) ([]server, error) {
	// They stop when they are closed, after everything that uses them.
	ctx = context.WithoutCancel(ctx)
	servers := []server(nil)
	type outcome struct {
		redis *private.Redis
		err   error
	}
	redis := make(chan outcome, 1)
	go func() {
		o := outcome{}
		if s.RedisURL == "" {
			o.redis, o.err = private.StartRedis(ctx, private.Options{Dir: filepath.Join(s.LocalDir, "redis"), Durable: true})
		}
		redis <- o
	}()
	errs := error(nil)
	if !s.Store.Given() {
		postgres, err := private.StartPostgres(ctx, private.Options{Dir: filepath.Join(s.LocalDir, "postgres"), Durable: true})
		if err == nil {
			servers = append(servers, postgres)
			s.Store.URL, s.Demo = postgres.URL("postgres"), true
		} else {
			errs = fmt.Errorf("start PostgreSQL: %w", err)
		}
	}
	o := <-redis
	if o.redis != nil {
		servers = append(servers, o.redis)
		s.RedisURL = o.redis.URL()
	}
	if o.err != nil {
		errs = errors.Join(errs, fmt.Errorf("start Redis: %w", o.err))
	}
	if errs != nil {
		return nil, stopServers(servers, errs)
	}
	return servers, nil
}

// stopServers ends our own servers; err is what came before.
func stopServers(servers []server, err error) error {
	for _, s := range servers {
		err = errors.Join(err, s.Stop())
	}
	return err
}
