package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// oldestPostgres is the oldest supported major version of PostgreSQL.
const oldestPostgres = 15

// Preflight checks whether [Migrate] and then this program, of the given release, will work with a database. If not, the
// error is a sentence that says what to do. It changes nothing, and returns the current schema.
func Preflight(ctx context.Context, connString, program string) (Schema, error) {
	conn, err := connect(ctx, connString)
	if err != nil {
		return Schema{}, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the connection is no longer needed
	// A single snapshot, since another process may be migrating.
	if _, err := conn.Exec(ctx, "begin isolation level repeatable read"); err != nil {
		return Schema{}, fmt.Errorf("begin the preflight checks: %w", err)
	}
	if err := checkServer(ctx, conn); err != nil {
		return Schema{}, err
	}
	if err := checkRoom(ctx, conn); err != nil {
		return Schema{}, err
	}
	if err := checkRights(ctx, conn); err != nil {
		return Schema{}, err
	}
	if err := checkLetters(ctx, conn); err != nil {
		return Schema{}, err
	}
	schema, err := readSchema(ctx, conn)
	if err != nil {
		return Schema{}, err
	}
	if err := schema.knows(program); err != nil {
		return schema, err
	}
	if len(schema.missing) > 0 {
		return schema, fmt.Errorf("the database %s has schema version %d without migration %d: it can't be migrated; restore it from a backup",
			conn.Config().Database, schema.Has, schema.missing[0])
	}
	if schema.Has == 0 {
		if err := checkEmpty(ctx, conn); err != nil {
			return schema, err
		}
	}
	return schema, checkRoles(ctx, conn)
}

// checkServer checks the server's version, and that it accepts writes.
func checkServer(ctx context.Context, conn *pgx.Conn) error {
	version, readOnly := 0, false
	err := conn.QueryRow(ctx, `select current_setting('server_version_num')::integer / 10000,
		pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`).Scan(&version, &readOnly)
	switch {
	case err != nil:
		return fmt.Errorf("query the version of PostgreSQL: %w", err)
	case version < oldestPostgres:
		return fmt.Errorf("PostgreSQL at %s has version %d: %d or later is needed", address(conn.Config()), version, oldestPostgres)
	case readOnly:
		return fmt.Errorf("PostgreSQL at %s accepts no writes: use the address of the primary server, not of a replica", address(conn.Config()))
	}
	return nil
}

// checkLetters checks that a database can store all letters, and converts them to lower case as this program does: names are
// compared in lower case, which both convert them to.
func checkLetters(ctx context.Context, conn *pgx.Conn) error {
	encoding, lowers := "", true
	err := conn.QueryRow(ctx, "select getdatabaseencoding()").Scan(&encoding)
	if err == nil && encoding == "UTF8" {
		err = conn.QueryRow(ctx, "select lower('IÖЖ') = 'iöж'").Scan(&lowers)
	}
	database := conn.Config().Database
	remedy := fmt.Sprintf("replace it with one that is created by `create database %s owner %s template template0 encoding 'UTF8' "+
		"locale_provider 'libc' lc_collate 'C' lc_ctype 'C.UTF-8'`", quote(database), quote(conn.Config().User))
	switch {
	case err != nil:
		return fmt.Errorf("ask PostgreSQL for the encoding of the database %s: %w", database, err)
	case encoding != "UTF8":
		return fmt.Errorf("the database %s has the encoding %s, and UTF8 is needed: %s", database, encoding, remedy)
	case !lowers:
		return fmt.Errorf("the database %s doesn't convert all letters to lower case, so people and streams with such names can't be found: %s", database, remedy)
	}
	return nil
}

// checkRights checks that the role may change the schema.
func checkRights(ctx context.Context, conn *pgx.Conn) error {
	schema, mayCreate, owns := "", false, false
	err := conn.QueryRow(ctx, `select coalesce(current_schema(), ''), coalesce(has_schema_privilege(current_schema(), 'create'), false),
		coalesce((select bool_and(pg_has_role(relowner, 'usage')) from pg_class
			where relname in ('installation', 'goose_db_version') and relnamespace = current_schema()::regnamespace), true)`).Scan(&schema, &mayCreate, &owns)
	database, role := conn.Config().Database, conn.Config().User
	switch {
	case err != nil:
		return fmt.Errorf("ask PostgreSQL for the rights of %s: %w", role, err)
	case schema == "":
		return fmt.Errorf("the role %s finds no schema in the database %s: run `create schema public` there, or correct the role's search_path", role, database)
	case !mayCreate:
		return fmt.Errorf("the role %s may not create tables in the database %s: run `alter database %s owner to %s`, or `grant create on schema %s to %s` there",
			role, database, quote(database), quote(role), quote(schema), quote(role))
	case !owns:
		return fmt.Errorf("the tables in the database %s belong to another role than %s: connect as that role, or reassign them by `reassign owned`", database, role)
	}
	return nil
}

// checkEmpty checks that a database that was never migrated has no tables of other programs.
func checkEmpty(ctx context.Context, conn *pgx.Conn) error {
	table := ""
	err := conn.QueryRow(ctx, `select coalesce(min(relname), '') from pg_class
		where relkind in ('r', 'p') and relname <> 'goose_db_version' and relnamespace = current_schema()::regnamespace`).Scan(&table)
	if err == nil && table != "" {
		return fmt.Errorf("the database %s is not empty (it has a table %s) and isn't a chat server's: use an empty database", conn.Config().Database, table)
	}
	return wrap(err, "list the tables")
}

// checkRoles checks that the role is a member of the two roles of services, or may create them.
func checkRoles(ctx context.Context, conn *pgx.Conn) error {
	lacking, may := []string(nil), false
	// Since PostgreSQL 16, a member of a role needs the SET option to switch to it, and CREATEROLE only permits changing
	// roles with the admin option.
	err := conn.QueryRow(ctx, `with server as (select current_setting('server_version_num')::integer >= 160000 as new),
			ours as (select r, oid from unnest(array['chatserver_service', 'chatserver_everywhere']) r left join pg_roles on rolname = r),
			lacking as (select r, oid from ours, server where oid is null or not pg_has_role(oid, case when new then 'set' else 'member' end))
		select (select coalesce(array_agg(r order by r), '{}') from lacking),
			(select me.rolsuper or me.rolcreaterole and (not new or (select coalesce(bool_and(oid is null or pg_has_role(oid, 'member with admin option')), true) from lacking))
				from pg_roles me, server where me.rolname = current_user)`).Scan(&lacking, &may)
	if err != nil {
		return fmt.Errorf("ask PostgreSQL for the roles of %s: %w", conn.Config().User, err)
	}
	if len(lacking) == 0 || may {
		return nil
	}
	role := quote(conn.Config().User)
	return fmt.Errorf("the role %s may not create the roles that services switch to: as a superuser, run `alter role %s createrole` or "+
		"`create role chatserver_service; create role chatserver_everywhere; grant chatserver_service, chatserver_everywhere to %s`",
		conn.Config().User, role, role)
}

// unreachable returns err as a sentence that says why there is no connection.
func unreachable(config *pgx.ConnConfig, err error) error {
	pg := (*pgconn.PgError)(nil)
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "28000" && strings.Contains(pg.Message, "pg_hba.conf"):
			return fmt.Errorf("PostgreSQL at %s doesn't let the user %s connect to the database %s from here: add a line to its pg_hba.conf, "+
				"or set sslmode or PGSSLMODE to verify-full if it requires TLS: %w", address(config), config.User, config.Database, pg)
		case pg.Code == "28P01", pg.Code == "28000":
			return fmt.Errorf("PostgreSQL at %s refuses the user %s: correct the user or the password in DATABASE_URL, or in PGUSER and PGPASSWORD: %w",
				address(config), config.User, pg)
		case pg.Code == "3D000":
			return fmt.Errorf("PostgreSQL at %s has no database %s: create it, or correct DATABASE_URL or PGDATABASE: %w", address(config), config.Database, pg)
		}
	}
	// pgx writes one line for each attempt.
	return fmt.Errorf("PostgreSQL at %s can't be reached: check that it runs, and correct DATABASE_URL or PGHOST, PGPORT and PGSSLMODE: %w",
		address(config), lineError{err})
}

// lineError is an error whose text is one line.
type lineError struct{ error }

// Error implements error.
func (e lineError) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

// Unwrap returns the error.
func (e lineError) Unwrap() error { return e.error }

func address(config *pgx.ConnConfig) string {
	return net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
