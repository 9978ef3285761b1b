package testbed

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// templateLock is the advisory lock under which templates are made.
const templateLock = 7_305_001

// undefinedTable is the code of PostgreSQL's error for a missing table.
const undefinedTable = "42P01"

// ledger is a table in the server's own database. It contains the properties of templates, the databases that are
// free, and the backend of the process that has used each of them.
const ledger = `
	create table if not exists testbed_templates (name text primary key, tables oid[] not null, filled oid[] not null, state text not null, rows text not null);
	create table if not exists testbed_idle (id bigint primary key generated always as identity, name text not null, template text not null, backend int not null)`

// template is a migrated database that is copied for tests.
type template struct {
	name   string
	tables []uint32 // all tables
	filled []uint32 // tables that the migration put rows into, and sequences that it used
	state  string   // see stateQuery
	rows   string   // see rowsQuery
}

// templateName returns a valid name for PostgreSQL that begins with readable parts of the key and ends with its sum,
// which makes it unique.
func templateName(key string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(key)) // a hash never fails
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(key))
	return fmt.Sprintf("template_%.30s_%016x", readable, sum.Sum64())
}

// findTemplate creates and migrates the template unless it exists. The ledger contains it once it is complete. Only
// one test in all processes works on it at a time.
func (s *server) findTemplate(ctx context.Context, name string, migrate func(ctx context.Context, url string) error) (found template, err error) {
	if found, known := s.templates[name]; known {
		return found, nil
	}
	found, done, err := readTemplate(ctx, s.conn, name)
	if err == nil && !done {
		found, err = makeTemplate(ctx, s.conn, s.url, name, migrate)
	}
	if err == nil {
		s.templates[name] = found
	}
	return found, err
}

func makeTemplate(
	ctx context.Context, conn *pgx.Conn, server, name string, migrate func(ctx context.Context, url string) error,
) (found template, err error) {
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", templateLock); err != nil {
		return found, err
	}
	defer func() {
		_, unlock := conn.Exec(ctx, "select pg_advisory_unlock($1)", templateLock)
		err = errors.Join(err, unlock)
	}()
	if found, done, err := readTemplate(ctx, conn, name); err != nil || done {
		return found, err
	}
	// A database without a row in the ledger is incomplete.
	for _, sql := range []string{ledger, "drop database if exists " + name + " with (force)", "create database " + name} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return found, err
		}
	}
	if err := migrate(ctx, replace(server, name, "")); err != nil {
		return found, fmt.Errorf("migrate: %w", err)
	}
	// A database can't be copied while there are connections to it.
	if _, err := conn.Exec(ctx, "alter database "+name+" with allow_connections false"); err != nil {
		return found, err
	}
	if _, err = conn.Exec(ctx, "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", name); err != nil {
		return found, err
	}
	first, err := clone(ctx, conn, name)
	if err != nil {
		return found, err
	}
	if found, err = describe(ctx, replace(server, first, "")); err != nil {
		return found, fmt.Errorf("describe the template: %w", err)
	}
	found.name = name
	_, err = conn.Exec(ctx, "insert into testbed_templates values ($1, $2, $3, $4, $5) on conflict (name) do update set tables = $2, filled = $3, state = $4, rows = $5",
		name, found.tables, found.filled, found.state, found.rows)
	if err != nil {
		return found, err
	}
	_, err = conn.Exec(ctx, "insert into testbed_idle (name, template, backend) values ($1, $2, pg_backend_pid())", first, name)
	return found, err
}

func readTemplate(ctx context.Context, conn *pgx.Conn, name string) (found template, done bool, err error) {
	found.name = name
	err = conn.QueryRow(ctx, "select tables, filled, state, rows from testbed_templates join pg_database on datname = name where name = $1", name).
		Scan(&found.tables, &found.filled, &found.state, &found.rows)
	missing := (*pgconn.PgError)(nil)
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &missing) && missing.Code == undefinedTable {
		return found, false, nil
	}
	return found, err == nil, err
}

// describe returns the properties of a new copy of a template.
func describe(ctx context.Context, url string) (template, error) {
	found := template{}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return found, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the connection isn't used any more
	err = conn.QueryRow(ctx, `
		select coalesce(array_agg(oid) filter (where relkind in ('r', 'p')), '{}'),
			coalesce(array_agg(oid) filter (where case relkind when 'r' then pg_relation_size(oid) > 0 when 'S' then pg_sequence_last_value(oid) is not null end), '{}')
		from pg_class where oid >= 16384`).Scan(&found.tables, &found.filled)
	if err != nil {
		return found, err
	}
	if found.state, err = readState(ctx, conn, stateQuery, found.filled); err != nil {
		return found, err
	}
	found.rows, err = readState(ctx, conn, rowsQuery, found.filled)
	return found, err
}
