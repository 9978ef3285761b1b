package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// passwords is a server that requires passwords of all but its superuser, over its socket.
func passwords(t *testing.T) *localserver.Postgres {
	t.Helper()
	server, err := localserver.StartPostgres(context.WithoutCancel(t.Context()), localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	if err := os.WriteFile(filepath.Join(server.DataDir(), "pg_hba.conf"), []byte("local all postgres trust\nlocal all,postgres all scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	storetest.Connect(t, server.URL("postgres")).Exec("select pg_reload_conf()")
	return server
}

// An owner that isn't a superuser creates the logins, and functions with its permissions work although row-level
// security applies to it, too.
func TestLogins(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	server := passwords(t)
	super := storetest.Connect(t, server.URL("postgres"))
	super.Exec("create role chat login createrole password 'own'")
	super.Exec("create database chat owner chat")
	owner := store.Config{Host: server.SocketDir(), Name: "chat", User: "chat", Password: "own"}
	services := store.Config{Host: server.SocketDir(), Name: "chat", AnswerTimeout: 20 * time.Second, Logins: store.Logins{
		ServiceUser: "chat_service", ServicePassword: `it's "one"`, EverywhereUser: "chat_everywhere", EverywherePassword: "two",
	}}
	if err := services.Check(); err != nil {
		t.Errorf("services need no owner: %v", err)
	}
	if err := store.PreflightLogins(t.Context(), owner.ConnString(), services.Logins); err != nil {
		t.Errorf("before the migration: %v", err)
	}
	if _, err := store.ReadSchemaOf(t.Context(), services); err == nil {
		t.Error("logins work before they are made")
	}
	if _, err := store.Migrate(t.Context(), owner.ConnString()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := store.MakeLogins(t.Context(), owner.ConnString(), services.Logins); err != nil {
			t.Fatal(err)
		}
	}
	if schema, err := store.ReadSchemaOf(t.Context(), services); err != nil || schema.Allows(release) != nil {
		t.Fatalf("%+v, %v", schema, err)
	}
	// Without logins, services work as the owner, which switches to roles.
	for name, config := range map[string]store.Config{"logins": services, "owner": owner} {
		config.AnswerTimeout = 20 * time.Second
		db, err := store.Open(t.Context(), config, &waker{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		w := &world{t: t, db: db, serial: len(name)}
		org := w.org()
		users, stream := w.users(org, 2), w.streams(org, "a")[0]
		message := to(users[0], stream, "hello")
		if _, ok, err := db.Send(t.Context(), org, message); !ok || err != nil {
			t.Errorf("%s: send: %v, %v", name, ok, err)
		}
		ctx, log := t.Context(), db.Log()
		for what, err := range map[string]error{
			"organization": func() error { _, err := db.FindOrganization(ctx, "org"+string(rune('1'+len(name)))); return err }(),
			"authenticate": func() error {
				key := []byte("key of " + name)
				err := db.Write(ctx, org, func(tx *store.Tx) error {
					return tx.RotateAPIKey(ctx, sqlc.RotateAPIKeyParams{APIKeyHash: key, UserID: users[0]})
				})
				if err != nil {
					return err
				}
				found, err := db.Authenticate(ctx, [][]byte{key})
				if err == nil && len(found) != 1 {
					err = errors.New("nobody has the key")
				}
				return err
			}(),
			"maintain": log.Maintain(ctx, time.Hour),
			"destroy":  db.DestroyDeleted(ctx, time.Hour),
			"log": func() error {
				entries, _, err := log.Read(ctx, db.Shard(org), store.Position{}, 10)
				if err == nil && len(entries) == 0 {
					err = errors.New("it is empty")
				}
				return err
			}(),
		} {
			if err != nil {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	// Permissions of only the owner: to be visible with row-level security.
	as := storetest.Connect(t, owner.ConnString())
	if n := storetest.Values[int](as, "select count(*)::int from users")[0]; n != 4 {
		t.Errorf("the owner sees %d accounts", n)
	}
	// Creating the logins again changes their passwords. Logins of other databases have no access.
	services.ServicePassword = "three"
	if err := store.MakeLogins(t.Context(), owner.ConnString(), services.Logins); err != nil {
		t.Fatal(err)
	}
	if _, err := store.ReadSchemaOf(t.Context(), services); err != nil {
		t.Errorf("with the new password: %v", err)
	}
	services.ServicePassword = `it's "one"`
	_, err := store.ReadSchemaOf(t.Context(), services)
	refused(t, err, "log in as chat_service (DATABASE_SERVICE_USER)")
	super.Exec("create role neighbour login password 'x' in role chatserver_service")
	services.ServiceUser, services.ServicePassword = "neighbour", "x"
	if _, err = store.ReadSchemaOf(t.Context(), services); err == nil {
		t.Error("the login of another database may connect")
	}
	if text := storetest.Values[string](super, "select rolpassword from pg_authid where rolname = 'chat_service'")[0]; len(text) < 100 {
		t.Errorf("the server keeps %q", text)
	}
}

// Replaced logins can't log in anymore, and their sessions end. After they have been created again, they can.
func TestFormerLoginsAreLocked(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	server := passwords(t)
	super := storetest.Connect(t, server.URL("postgres"))
	super.Exec("create role chat login createrole password 'own'")
	super.Exec("create database chat owner chat")
	owner := store.Config{Host: server.SocketDir(), Name: "chat", User: "chat", Password: "own"}
	pair := func(name string) store.Config {
		return store.Config{Host: server.SocketDir(), Name: "chat", AnswerTimeout: 20 * time.Second, Logins: store.Logins{
			ServiceUser: name + "_service", ServicePassword: name, EverywhereUser: name + "_everywhere", EverywherePassword: name,
		}}
	}
	a, b := pair("a"), pair("b")
	former := []string{a.ServiceUser, a.EverywhereUser, "nobody"}
	if _, err := store.Migrate(t.Context(), owner.ConnString()); err != nil {
		t.Fatal(err)
	}
	for _, logins := range []store.Logins{a.Logins, b.Logins} {
		if err := store.MakeLogins(t.Context(), owner.ConnString(), logins); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Connect(t, store.Config{Host: server.SocketDir(), Name: "chat", User: a.ServiceUser, Password: "a"}.ConnString())
	for range 2 { // the second time changes nothing
		if err := store.LockLogins(t.Context(), owner.ConnString(), former, b.Logins); err != nil {
			t.Fatal(err)
		}
	}
	testbed.Until(t, "the sessions of the former login have ended", func() bool {
		return storetest.Values[int](super, "select count(*)::int from pg_stat_activity where usename = 'a_service'")[0] == 0
	})
	if _, err := store.ReadSchemaOf(t.Context(), a); err == nil {
		t.Error("a former login can log in")
	}
	if n := storetest.Values[int](super, "select count(*)::int from pg_roles where rolname like 'a\\_%' and rolcanlogin")[0]; n > 0 {
		t.Errorf("%d former logins could log in without a password", n)
	}
	if _, err := store.ReadSchemaOf(t.Context(), b); err != nil {
		t.Errorf("the login after it: %v", err)
	}
	if rights := storetest.Values[string](super, "select r.rolname from pg_roles r where r.rolname like 'a\\_%' and pg_has_role('chat', r.oid, 'usage')"); len(rights) > 0 {
		t.Errorf("the owner keeps the rights of %v", rights)
	}
	refused(t, store.LockLogins(t.Context(), owner.ConnString(), []string{b.ServiceUser}, b.Logins), "which services log in as now")
	refused(t, store.LockLogins(t.Context(), owner.ConnString(), []string{"chat"}, b.Logins), "isn't a login of services")
	if err := store.MakeLogins(t.Context(), owner.ConnString(), a.Logins); err != nil {
		t.Fatal(err)
	}
	if _, err := store.ReadSchemaOf(t.Context(), a); err != nil {
		t.Errorf("made again: %v", err)
	}
}

// If the owner can't create roles, an administrator does, with the statements in the error.
func TestLoginsOfAdministrators(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	server := passwords(t)
	super := storetest.Connect(t, server.URL("postgres"))
	for _, sql := range []string{
		"create role chatserver_service", "create role chatserver_everywhere", "create role chat login password 'own'",
		"grant chatserver_service, chatserver_everywhere to chat", "create database chat owner chat",
	} {
		super.Exec(sql)
	}
	owner := store.Config{Host: server.SocketDir(), Name: "chat", User: "chat", Password: "own"}
	logins := store.Logins{ServiceUser: "ours", EverywhereUser: "all", ServicePassword: "1", EverywherePassword: "2"}
	const want = "the role chat may not create the role ours that services log in as: as a superuser, run `alter role \"chat\" createrole` or " +
		"`create role \"ours\" login password '…' in role chatserver_service`"
	refused(t, store.PreflightLogins(t.Context(), owner.ConnString(), logins), want)
	if _, err := store.Migrate(t.Context(), owner.ConnString()); err != nil {
		t.Fatal(err)
	}
	refused(t, store.MakeLogins(t.Context(), owner.ConnString(), logins), want)
	super.Exec(`create role "ours" login password '1' in role chatserver_service`)
	super.Exec(`create role "all" login password '2' in role chatserver_everywhere`)
	if err := store.MakeLogins(t.Context(), owner.ConnString(), logins); err != nil {
		t.Fatal(err)
	}
	services := store.Config{Host: owner.Host, Name: "chat", Logins: logins}
	if _, err := store.ReadSchemaOf(t.Context(), services); err != nil {
		t.Error(err)
	}
	for user, want := range map[string]string{"chat": "has more rights than services may have", "postgres": "has more rights than services may have", "all": "both"} {
		logins.ServiceUser = user
		refused(t, store.MakeLogins(t.Context(), owner.ConnString(), logins), want)
	}
	logins.ServiceUser = ""
	refused(t, logins.Check(), "one of them is missing")
}
