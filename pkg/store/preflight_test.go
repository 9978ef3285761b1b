package store_test

import (
	"context"
	"strings"
	"testing"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

const release = "0.1.0"

// empty returns an empty database.
func empty(t *testing.T) testbed.Database {
	t.Helper()
	return testbed.Postgres(t, func(context.Context, string) error { return nil }, "store nothing")
}

func TestPreflight(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	// Roles belong to the whole server.
	server, err := localserver.StartPostgres(context.WithoutCancel(t.Context()), localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	super := storetest.Connect(t, server.URL("postgres"))
	const lowersASCII, isASCII = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'", "template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'"
	for _, c := range []struct {
		name  string   // of the database and of the role that owns it
		made  string   // the database's options
		setup []string // as the superuser
		fill  string   // as the superuser, in the database
		want  string
	}{
		{name: "maker", setup: []string{"alter role maker createrole"}},
		{name: "member", setup: []string{"grant chatserver_service, chatserver_everywhere to member"}},
		{name: "stranger", want: "may not create the roles that services switch to: as a superuser, run `alter role"},
		{name: "guest", setup: []string{"alter role guest createrole", "alter database guest owner to postgres"}, want: "may not create tables in the database guest"},
		{name: "lost", setup: []string{"alter role lost createrole", "alter role lost set search_path = nowhere"}, want: "finds no schema"},
		{name: "harbour", setup: []string{"alter role harbour createrole"}, fill: "create table ships ()", want: "is not empty (it has a table ships)"},
		{name: "replica", setup: []string{"alter role replica createrole", "alter role replica set default_transaction_read_only = on"}, want: "accepts no writes"},
		{name: "latin", made: lowersASCII, setup: []string{"grant chatserver_service, chatserver_everywhere to latin"}, want: "the database latin doesn't convert all letters to lower case"},
		{name: "bytes", made: isASCII, setup: []string{"grant chatserver_service, chatserver_everywhere to bytes"}, want: "the database bytes has the encoding SQL_ASCII, and UTF8 is needed"},
	} {
		super.Exec("create role " + c.name + " login")
		super.Exec("create database " + c.name + " owner " + c.name + " " + c.made)
		for _, statement := range c.setup {
			super.Exec(statement)
		}
		if c.fill != "" {
			storetest.Connect(t, server.URL(c.name)).Exec(c.fill)
		}
		at := server.URLAs(c.name, c.name)
		_, err := store.Preflight(t.Context(), at, release)
		if c.want != "" {
			refused(t, err, c.want)
		}
		if c.made != "" {
			remedy := strings.Split(err.Error(), "`")[1]
			super.Exec("drop database " + c.name)
			super.Exec(remedy)
			_, err = store.Preflight(t.Context(), at, release)
		} else if c.want != "" {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		// A database that passes can be migrated, and passes after that.
		if _, err := store.Migrate(t.Context(), at); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if schema, err := store.Preflight(t.Context(), at, release); err != nil || schema.Has != schema.Needs || schema.MinServerVersion == "" {
			t.Errorf("%s, migrated: %+v, %v", c.name, schema, err)
		}
	}
	super.Exec("create role other login in role chatserver_service, chatserver_everywhere")
	storetest.Connect(t, server.URL("member")).Exec("grant create on schema public to other")
	_, err = store.Preflight(t.Context(), server.URLAs("other", "member"), release)
	refused(t, err, "belong to another role than other")
	_, err = store.Preflight(t.Context(), server.URL("nothing"), release)
	refused(t, err, "has no database nothing: create it")
	_, err = store.Preflight(t.Context(), server.URLAs("nobody", "member"), release)
	refused(t, err, "refuses the user nobody")
}

// refused checks that an error contains a text.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestPreflightUnreachable(t *testing.T) {
	t.Parallel()
	_, err := store.Preflight(t.Context(), "postgres://ann:hunter2@127.0.0.1:1/chat", release)
	refused(t, err, "PostgreSQL at 127.0.0.1:1 can't be reached: check that it runs")
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("it contains the password: %v", err)
	}
}

// A schema that is newer than the program contains the information whether the program works with it.
func TestPreflightNewer(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	_, url := storetest.OpenURL(t)
	session := storetest.Connect(t, url)
	session.Exec("insert into goose_db_version (version_id, is_applied) values (99, true)")
	session.Exec("update installation set min_server_version = '0.3.0'")
	for program, allowed := range map[string]bool{"0.3.0": true, "0.4.1": true, "0.2.9": false, "0.3.0-rc.1": false, "0.0.0-dev+abc": false, "": false} {
		schema, err := store.Preflight(t.Context(), url, program)
		if served := schema.Allows(program); (err == nil) != allowed || (served == nil) != allowed || schema.Has != 99 {
			t.Errorf("%q: %+v, %v, %v", program, schema, err, served)
		}
		if !allowed {
			refused(t, err, "run release 0.3.0 or a newer one")
		}
	}
	// After a downgrade, the older program's migration has nothing to do.
	if schema, err := store.Migrate(t.Context(), url); err != nil || schema.Has != 99 || schema.MinServerVersion != "0.3.0" {
		t.Errorf("%+v, %v", schema, err)
	}
}

func TestPreflightGap(t *testing.T) {
	t.Parallel()
	_, url := storetest.OpenURL(t)
	storetest.Connect(t, url).Exec("delete from goose_db_version where version_id = 2")
	_, err := store.Preflight(t.Context(), url, release)
	refused(t, err, "without migration 2: it can't be migrated; restore it from a backup")
}

// An interrupted migration leaves a consistent state, and the next one needs no wait.
func TestMigrateInterrupted(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	database := empty(t)
	session := storetest.Connect(t, database.URL)
	session.Exec("begin")
	session.Exec("create table organizations ()") // the first migration waits for this transaction
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := store.Migrate(ctx, database.URL)
		done <- err
	}()
	watch := storetest.Connect(t, database.URL)
	waits := func() bool {
		return storetest.Values[bool](watch, `select exists (select from pg_stat_activity where datname = current_database()
			and wait_event_type = 'Lock' and query like '%create table organizations%')`)[0]
	}
	testbed.Until(t, "the migration waits", waits)
	cancel()
	refused(t, <-done, "the migration was interrupted, perhaps while it waited for a long transaction, such as a dump's, to end: run it again")
	testbed.Until(t, "the migration has left nothing in the database to wait for, although what it waited for goes on", func() bool {
		return storetest.Values[int64](watch, `select count(*) from pg_stat_activity
			where datname = current_database() and backend_type = 'client backend'`)[0] == 2 // session and watch
	})
	session.Exec("rollback")
	if schema, err := store.Preflight(t.Context(), database.URL, release); err != nil || schema.Has != 0 {
		t.Errorf("afterwards: %+v, %v", schema, err)
	}
	if _, err := store.Migrate(t.Context(), database.URL); err != nil {
		t.Errorf("once more: %v", err)
	}
}
