package isolation_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// The roles of services can't bypass row-level security.
func TestRolesOwnNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct{ what, sql string }{
		{"superusers, or beyond row-level security", `select rolname::text from pg_roles where rolname like 'chatserver_%'
			and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin)`},
		{"owned by a service's role", `select relname::text from pg_class join pg_roles r on r.oid = relowner where rolname like 'chatserver_%'`},
		{"functions owned by a service's role", `select proname::text from pg_proc join pg_roles r on r.oid = proowner where rolname like 'chatserver_%'`},
		{"functions beyond row-level security that nobody has thought about", `select proname::text from pg_proc
			where pronamespace = 'public'::regnamespace and prosecdef
			and proname not in ('maintain_event_log', 'forget_other_history', 'authenticate', 'find_organization', 'find_messages', 'destroy_some_deleted_messages',
				'key_in_use', 'erase_organization', 'note_people_change', 'note_subscriber', 'note_subscribers')`},
		{"roles that a service's role has", `select r.rolname::text from pg_auth_members m join pg_roles r on r.oid = m.roleid
			join pg_roles s on s.oid = m.member where s.rolname like 'chatserver_%'`},
		{"tables without row-level security that a service may use", `select c.relname::text from pg_class c join pg_attribute a on attrelid = c.oid
			where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname = 'org_id' and not (relrowsecurity and relforcerowsecurity)
			and (has_table_privilege('chatserver_service', c.oid, 'select, insert, update, delete, truncate')
			  or has_table_privilege('chatserver_everywhere', c.oid, 'select, insert, update, delete, truncate'))`},
		{"tables without the policy", `select c.relname::text from pg_class c join pg_attribute a on attrelid = c.oid
			where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname = 'org_id' and relrowsecurity
			and not exists (select from pg_policies p where p.tablename = c.relname and 'chatserver_service' = any (roles) and cmd = 'ALL'
				and qual ~ 'org_id = .*app.org' and with_check ~ 'org_id = .*app.org')`},
		{"tables whose rows a dump by the owner wouldn't have", `select relname::text from pg_class c
			where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity and not exists (
				select from pg_policies p where p.tablename = c.relname and 'chatserver_everywhere' = any (roles) and cmd = 'ALL' and qual = 'true')`},
		{"more policies of the service", `select tablename::text from pg_policies where 'chatserver_service' = any (roles) group by 1 having count(*) > 1`},
		{"policies for everybody", `select tablename::text from pg_policies where 'public' = any (roles)`},
		{"functions of the owner that look at temporary tables first", `select proname::text from pg_proc
			where pronamespace = 'public'::regnamespace and prosecdef and not coalesce('search_path=public, pg_temp' = any (proconfig), false)`},
		{"logins with rights of others", `select m.rolname::text from pg_roles m, pg_roles r where m.rolname in ('test_service', 'test_everywhere')
			and pg_has_role(m.oid, r.oid, 'member') and r.oid <> m.oid and r.rolname <> replace(m.rolname, 'test', 'chatserver')`},
		{"what a service may truncate or trigger", `select table_name::text from information_schema.role_table_grants
			where grantee like 'chatserver_%' and privilege_type in ('TRUNCATE', 'TRIGGER')`},
	} {
		if found := storetest.Values[string](w.db, test.sql); len(found) > 0 {
			t.Errorf("%s: %v", test.what, found)
		}
	}
	if tables := w.tables(); len(tables) < 13 {
		t.Errorf("only %d tables have organizations: %v", len(tables), tables)
	}
}

// service returns a connection with a service's role.
func (w *world) service() *pgx.Conn { return w.login(storetest.Logins().ServiceUser) }

func (w *world) login(user string) *pgx.Conn {
	w.T.Helper()
	config, err := pgx.ParseConfig(w.DatabaseURL)
	if err != nil {
		w.T.Fatal(err)
	}
	config.User = user
	conn, err := pgx.ConnectConfig(w.T.Context(), config)
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { _ = conn.Close(context.WithoutCancel(w.T.Context())) })
	return conn
}

// SQL of a service's role, the product's or any other, can't change the role or run code with another role's rights.
func TestLoginsStayBound(t *testing.T) {
	t.Parallel()
	const denied = "42501"
	w := newWorld(t)
	// A database's privileges for PUBLIC aren't copied from its template.
	if _, err := store.Migrate(t.Context(), w.DatabaseURL); err != nil {
		t.Fatal(err)
	}
	owner := storetest.Values[string](w.db, "select current_user::text")[0]
	logins := storetest.Logins()
	for _, user := range []string{logins.ServiceUser, logins.EverywhereUser} {
		conn := w.login(user)
		for _, sql := range []string{
			"set role " + owner, "set session authorization " + owner, "create temp table users (like public.users)", "create table public.mine ()",
			"create schema mine", "create function public.f() returns int language sql as 'select 1'", "alter table messages disable row level security",
			"alter role " + user + " superuser", "grant " + owner + " to " + user, "truncate messages",
			"insert into image_keys default values", "update image_keys set key = key", "delete from image_keys",
		} {
			if _, err := conn.Exec(t.Context(), sql); code(err) != denied {
				t.Errorf("%s: %s: %v", user, sql, err)
			}
		}
		if _, err := conn.Exec(t.Context(), "reset role"); err != nil {
			t.Error(err)
		}
		current := ""
		if err := conn.QueryRow(t.Context(), "select current_user::text").Scan(&current); err != nil || current != user {
			t.Errorf("%s became %s, %v", user, current, err)
		}
	}
	if _, err := w.login(logins.EverywhereUser).Exec(t.Context(), "select from image_keys"); code(err) != denied {
		t.Errorf("keys for images are for who doesn't need them: %v", err)
	}
	conn := w.service()
	if _, err := conn.Exec(t.Context(), "set role "+logins.EverywhereUser); code(err) != denied {
		t.Errorf("from one login to the other: %v", err)
	}
	if _, err := conn.Exec(t.Context(), "set role chatserver_everywhere"); code(err) != denied {
		t.Errorf("to the role for the whole server: %v", err)
	}
	count, err := try(t, conn, w.Org.ID, "select from messages where org_id = $1", w.rival.ID)
	if err != nil || count != 0 {
		t.Errorf("%d messages of another organization, %v", count, err)
	}
	// Even if temporary tables are allowed, functions of the owner don't use them.
	w.db.Exec("do $$ begin execute format('grant temporary on database %I to " + logins.ServiceUser + "', current_database()); end $$")
	if _, err := conn.Exec(t.Context(), "set app.org = "+strconv.FormatInt(int64(w.Org.ID), 10)+`; create temp table users as select * from public.users limit 1;
		update pg_temp.users set api_key_hash = '\x00', full_name = 'SHADOW'`); err != nil {
		t.Fatal(err)
	}
	found := 0
	if err := conn.QueryRow(t.Context(), `select count(*) from authenticate('\x00')`).Scan(&found); err != nil || found != 0 {
		t.Errorf("authenticate looks at temporary tables: %d, %v", found, err)
	}
}

// try runs a statement for an organization, or for none if it is 0, and rolls it back.
func try(t *testing.T, conn *pgx.Conn, as id.Org, sql string, args ...any) (rows int64, err error) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if as != 0 {
		if _, err := tx.Exec(t.Context(), fmt.Sprintf("set local app.org = %d", as)); err != nil {
			t.Fatal(err)
		}
	}
	tag, err := tx.Exec(t.Context(), sql, args...)
	return tag.RowsAffected(), err
}

func code(err error) string {
	pg := (*pgconn.PgError)(nil)
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// In each table, the service's role can read, add and change only rows of the current organization.
func TestTablesAreSeparate(t *testing.T) {
	t.Parallel()
	const denied = "42501" // row-level security, or no right at all
	w := newWorld(t)
	for _, table := range w.tables() {
		t.Run(table, func(t *testing.T) {
			columns := strings.Join(storetest.Values[string](w.db, `select quote_ident(column_name) from information_schema.columns
				where table_name = $1 and is_generated = 'NEVER' order by ordinal_position`, table), ", ")
			fresh, used := w.service(), w.service()
			may := func(right string) bool {
				return storetest.Values[bool](w.db, "select has_table_privilege('chatserver_service', $1, $2)", table, right)[0]
			}
			foreign := storetest.Values[string](w.db, `select to_jsonb(t)::text from "`+table+`" t where org_id = $1 limit 1`, w.rival.ID)
			if len(foreign) == 0 && strings.HasPrefix(table, "event_log_2") && !may("select") && !may("insert") {
				return // the coming hours' part of the log, out of reach
			}
			if len(foreign) == 0 {
				t.Fatal("the test has no row of this table: add one to furnish")
			}
			if may("select") {
				if rows, err := try(t, used, w.Org.ID, `select from "`+table+`"`); err != nil || rows == 0 {
					t.Errorf("own rows: %d, %v", rows, err)
				}
				if rows, err := try(t, used, w.Org.ID, `select from "`+table+`" where org_id <> $1`, w.Org.ID); err != nil || rows != 0 {
					t.Errorf("%d rows of others, %v", rows, err)
				}
				if _, err := try(t, fresh, 0, `select from "`+table+`"`); code(err) != "42704" {
					t.Errorf("without an organization: %v", err)
				}
				if _, err := try(t, used, 0, `select from "`+table+`"`); code(err) != "22P02" {
					t.Errorf("without an organization, where there was one before: %v", err)
				}
			} else if _, err := try(t, used, w.Org.ID, `select from "`+table+`"`); code(err) != denied {
				t.Errorf("reading without the right: %v", err)
			}
			insert := `insert into "` + table + `" (` + columns + `) overriding system value select ` + columns +
				` from jsonb_populate_record(null::"` + table + `", $1::jsonb)`
			if _, err := try(t, used, w.Org.ID, insert, foreign[0]); code(err) != denied {
				t.Errorf("a row of another organization was added: %v", err)
			}
			if !may("update") {
				return
			}
			if _, err := try(t, used, w.Org.ID, `update "`+table+`" set org_id = $1`, w.rival.ID); code(err) != denied {
				t.Errorf("rows were moved to another organization: %v", err)
			}
			for _, sql := range []string{`update "` + table + `" set org_id = org_id where org_id = $1`, `delete from "` + table + `" where org_id = $1`} {
				if rows, err := try(t, used, w.Org.ID, sql, w.rival.ID); err != nil || rows != 0 {
					t.Errorf("%s: %d rows, %v", sql, rows, err)
				}
			}
		})
	}
}

// Rows of files that are to be removed outlive their organization, but are separate, too.
func TestUnkeptFilesAreSeparate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn := w.service()
	if rows, err := try(t, conn, w.Org.ID, "select from unkept_files"); err != nil || rows != 1 {
		t.Errorf("own rows: %d, %v", rows, err)
	}
	for _, sql := range []string{"update unkept_files set due_at = now() where org = $1", "delete from unkept_files where org = $1"} {
		if rows, err := try(t, conn, w.Org.ID, sql, w.rival.ID); err != nil || rows != 0 {
			t.Errorf("%s: %d rows, %v", sql, rows, err)
		}
	}
	if _, err := try(t, conn, w.Org.ID, "insert into unkept_files (org, path, due_at) values ($1, 'x', now())", w.rival.ID); code(err) != "42501" {
		t.Errorf("a row of another organization was added: %v", err)
	}
	if _, err := try(t, conn, 0, "select from unkept_files"); err == nil {
		t.Error("without an organization")
	}
}
