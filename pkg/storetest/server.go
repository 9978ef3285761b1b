package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
)

// makeTime is the time limit for migrating an empty database on a loaded machine.
const makeTime = 2 * time.Minute

//nolint:gochecknoglobals // the servers of a process's tests are copies of one.
var original = sync.OnceValues(makeOriginal)

// makeOriginal starts a server, migrates its database and stops it. Its data are kept until the process ends.
func makeOriginal() (*localserver.Postgres, error) {
	ctx := context.Background()
	server, err := localserver.StartPostgres(ctx, localserver.Options{})
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, makeTime) // the end of ctx would remove the data
	defer cancel()
	_, err = store.Migrate(limited, server.URL("postgres"))
	if err == nil {
		err = store.MakeLogins(limited, server.URL("postgres"), Logins())
	}
	if err == nil {
		err = server.Halt()
	}
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// StartServer starts a PostgreSQL server for one test, which may kill it. Its database "postgres" is migrated and has
// the [Logins].
func StartServer(t testing.TB, options localserver.Options) *localserver.Postgres {
	t.Helper()
	of, err := original()
	if err != nil {
		t.Fatalf("make a database to copy: %v", err)
	}
	server, err := localserver.StartCopy(context.WithoutCancel(t.Context()), of, options)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return server
}
