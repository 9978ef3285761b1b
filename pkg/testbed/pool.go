package testbed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// leaveTime is the time limit for connections of an ended test to close.
const leaveTime = time.Second

// take returns the name of an unused database, or "" if there is none. It was used by this process, which may have
// connections to it, or by a process that has ended. take prefers the database that was returned last, because the
// server has it in memory.
func take(ctx context.Context, conn *pgx.Conn, template string) (name string, err error) {
	err = conn.QueryRow(ctx, `delete from testbed_idle where id = (
		select id from testbed_idle
		where template = $1 and (backend = pg_backend_pid() or not exists (select from pg_stat_activity where pid = backend))
		order by backend = pg_backend_pid() desc, id desc limit 1 for update skip locked) returning name`, template).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return name, err
}

// clone copies the template to a database with a new name.
func clone(ctx context.Context, conn *pgx.Conn, template string) (name string, err error) {
	err = conn.QueryRow(ctx, "select 'test_' || replace(gen_random_uuid()::text, '-', '')").Scan(&name)
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "create database "+name+" template "+template+" strategy file_copy")
	return name, err
}

// giveBack empties the database of an ended test for the next one, or drops it if that fails.
func giveBack(t testing.TB, name, url string, like template) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), databaseTimeout)
	defer cancel()
	unfit := databases.empty(ctx, name, url, like)
	if unfit != nil {
		t.Logf("The database is not used again: %v", unfit)
		databases.forget(name)
	}
	err := databases.do(ctx, func(s *server) (err error) {
		if unfit == nil {
			_, err = s.conn.Exec(ctx, "insert into testbed_idle (name, template, backend) values ($1, $2, pg_backend_pid())", name, like.name)
			return err
		}
		_, err = s.conn.Exec(ctx, "drop database "+name+" with (force)")
		return err
	})
	if err != nil {
		t.Errorf("return the test's database: %v", err)
	}
}

// empty restores a database to the state of a new one, or fails with the reason why it can't. Its connection stays open for the next
// time, since what PostgreSQL has read about a hundred tables costs as much as the rest.
func (s *server) empty(ctx context.Context, name, url string, like template) error {
	s.mu.Lock()
	conn, kept := s.emptying[name], s.kept[name]
	delete(s.emptying, name)
	s.mu.Unlock()
	if conn == nil || conn.Ping(ctx) != nil { // a test may have ended it
		var err error
		if conn, err = pgx.Connect(ctx, url); err != nil {
			return err
		}
	}
	if err := emptyBy(ctx, conn, like, kept); err != nil {
		_ = conn.Close(ctx) // it isn't used any more
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emptying[name] = conn
	return nil
}

func emptyBy(ctx context.Context, conn *pgx.Conn, like template, kept Connections) error {
	if err := awaitLeave(ctx, conn, kept); err != nil {
		return err
	}
	changed := false
	if err := conn.QueryRow(ctx, changedQuery).Scan(&changed); err != nil {
		return err
	}
	if err := clean(ctx, conn, like); err != nil {
		return err
	}
	query, want := rowsQuery, like.rows
	if changed {
		query, want = stateQuery, like.state
	}
	state, err := readState(ctx, conn, query, like.filled)
	if err == nil && state != want {
		err = errors.New("its schema, its settings or rows of the migration have changed")
	}
	return err
}

// clean empties the tables that the migration has left empty. Indexes keep one of their pages.
func clean(ctx context.Context, conn *pgx.Conn, like template) error {
	var names []string
	var large bool
	err := conn.QueryRow(ctx, usedQuery, like.filled, like.tables, largeTable).Scan(&names, &large)
	if err != nil {
		return err
	}
	// Waiting longer for a lock is useless, because nothing will release it.
	if _, err := conn.Exec(ctx, "set lock_timeout = '1s'; set client_min_messages = warning"); err != nil {
		return err
	}
	if len(names) > 0 && !large {
		if _, err := conn.Exec(ctx, "begin; set local session_replication_role = replica; delete from "+strings.Join(names, "; delete from ")+"; commit"); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "vacuum (truncate, index_cleanup on, parallel 0) "+strings.Join(names, ", ")); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, fmt.Sprintf(emptying, list(like.tables), list(like.filled)))
	return err
}

// largeTable is the size of a table in bytes from which all tables are truncated. For that, PostgreSQL creates new
// files for a hundred tables and their indexes, which takes longer than deleting a few rows.
const largeTable = 1 << 20

// usedQuery returns the tables to empty, and whether one of them is large.
const usedQuery = `
select coalesce(array_agg(oid::regclass::text), '{}'), coalesce(max(pg_relation_size(oid)), 0) >= $3
from pg_class where oid >= 16384 and relkind = 'r' and oid <> all ($1) and oid = any ($2) and pg_relation_size(oid) > 0`

// changedQuery reports whether a test has changed more in the catalogs than changes of rows do. The statistics start
// when a database is emptied. They may miss recent changes over kept connections, but those only change rows.
const changedQuery = `
select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) > 0 from pg_stat_sys_tables s join pg_class c on c.oid = relid
where schemaname = 'pg_catalog' and not relisshared and s.relname not in ('pg_class', 'pg_statistic', 'pg_sequence')`

// awaitLeave waits until there are no other connections, except for idle kept ones.
func awaitLeave(ctx context.Context, conn *pgx.Conn, kept Connections) error {
	for deadline := time.Now().Add(leaveTime); ; time.Sleep(2 * time.Millisecond) {
		var others, busy int
		err := conn.QueryRow(ctx, `select count(*), count(*) filter (where state <> 'idle') from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`).Scan(&others, &busy)
		if err != nil {
			return err
		}
		if kept != nil {
			others -= kept.Idle()
		}
		if others == 0 && busy == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the test has left %d connections open, and uses %d", others, busy)
		}
	}
}

// emptying drops tables that the template doesn't have, truncates tables with rows that the migration has left empty,
// and resets sequences. It also removes statistics about the rows of all tables, because plans depend on them.
const emptying = `
do $$
declare
	names text;
begin
	select string_agg(oid::regclass::text, ', ') into names from pg_class
	where oid >= 16384 and relkind in ('r', 'p') and relpersistence <> 't' and oid <> all (%[1]s::oid[]);
	if names is not null then
		execute 'drop table ' || names;
	end if;
	select string_agg(oid::regclass::text, ', ') into names from pg_class
	where oid >= 16384 and relkind = 'r' and oid <> all (%[2]s::oid[]) and pg_relation_size(oid) > 0;
	if names is not null then
		execute 'truncate ' || names || ' cascade';
	end if;
	perform setval(seqrelid, seqstart, false) from pg_sequence where pg_sequence_last_value(seqrelid) is not null and seqrelid <> all (%[2]s::oid[]);
	update pg_class set relpages = 0, reltuples = -1, relallvisible = 0
	where oid >= 16384 and relkind in ('r', 'p', 't') and (relpages, reltuples, relallvisible) <> (0, -1, 0);
	delete from pg_statistic where starelid >= 16384;
	perform pg_stat_reset();
end $$`

// stateQuery hashes everything that a test could have left in a database with empty tables: the catalog rows of each
// object of its schema, and the result of [rowsQuery].
const stateQuery = `
select md5(string_agg(line, E'\n' order by line)) from (
	select 'attribute ' || a::text as line from pg_attribute a join pg_class c on c.oid = attrelid where attrelid >= 16384 and relkind not in ('i', 't')
	union all select 'default ' || a::text from pg_attrdef a
	union all select 'constraint ' || a::text from pg_constraint a where oid >= 16384
	union all select 'index ' || a::text from pg_index a where indexrelid >= 16384
	union all select 'inherits ' || a::text from pg_inherits a
	union all select 'function ' || a::text from pg_proc a where oid >= 16384
	union all select 'trigger ' || a::text from pg_trigger a
	union all select 'event trigger ' || a::text from pg_event_trigger a
	union all select 'policy ' || a::text from pg_policy a
	union all select 'type ' || a::text from pg_type a where oid >= 16384
	union all select 'rule ' || a::text from pg_rewrite a where oid >= 16384
	union all select 'schema ' || a::text from pg_namespace a where nspname !~ '^pg_(toast_)?temp_'
	union all select 'extension ' || a::text from pg_extension a
	union all select 'operator ' || a::text from pg_operator a where oid >= 16384
	union all select 'cast ' || a::text from pg_cast a where oid >= 16384
	union all select 'default rights ' || a::text from pg_default_acl a
	union all select 'statistic ' || stxname from pg_statistic_ext
	union all select 'publication ' || pubname from pg_publication
	union all select 'large object ' || oid from pg_largeobject_metadata
	union all ` + rowLines + `
) lines`

// rowsQuery hashes the changes of a test that affect only the catalogs of tables and sequences: sizes, settings,
// statistics, and the rows of the migration. Statistics of tables with such rows are left out, because autovacuum may
// collect them in the template between two copies.
const rowsQuery = `select md5(string_agg(line, E'\n' order by line)) from (` + rowLines + `) lines`

const rowLines = `
	select 'class ' || (c.oid, relname, relnamespace, reltype, relowner, relam, relhasindex, relpersistence, relkind, relnatts, relchecks, relhasrules,
		relhastriggers, relrowsecurity, relforcerowsecurity, relreplident, relispartition, relacl, reloptions, relpartbound,
		case when relkind <> 'i' and c.oid <> all ($1) then (relpages, reltuples) end)::text as line from pg_class c where c.oid >= 16384
	union all select 'size ' || oid || ' ' || pg_relation_size(oid) from pg_class where oid >= 16384 and relkind in ('r', 't') and oid <> all ($1)
	union all select 'sequence ' || a::text || coalesce(pg_sequence_last_value(seqrelid), -1) from pg_sequence a
	union all select 'setting ' || setrole || setconfig::text from pg_db_role_setting join pg_database d on d.oid = setdatabase where datname = current_database()
	union all select 'database ' || (datdba, encoding, datcollate, datctype, datallowconn, datconnlimit, datacl)::text
		from pg_database where datname = current_database()
	union all select 'rows ' || t.oid || ' ' || query_to_xml(format('select r::text from %s r order by 1', t.oid::regclass), true, false, '')
		from pg_class t where t.oid = any ($1) and relkind = 'r'`

func readState(ctx context.Context, conn *pgx.Conn, query string, filled []uint32) (state string, err error) {
	err = conn.QueryRow(ctx, query, filled).Scan(&state)
	return state, err
}

// list returns the literal of an array.
func list(oids []uint32) string {
	return "'{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(oids)), ","), "[]") + "}'"
}
