package main

import (
	"context"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/moving"
)

// move exports or imports an organization. If the environment names no database, it uses the private servers, which no
// other process may use at the same time.
func move(ctx context.Context, command string, args, environ []string, to moving.IO) (result error) {
	s := settings{}
	if err := boot.Read(environ, &s); err != nil {
		return err
	}
	if !s.Store.Given() {
		servers, err := startServers(ctx, &s)
		if err != nil {
			return err
		}
		defer func() { result = stopServers(servers, result) }()
		if _, err := store.Migrate(ctx, s.Store.ConnString()); err != nil {
			return err
		}
		environ = append(environ, s.variables()...)
	}
	return moving.Run(ctx, command, args, environ, to)
}
