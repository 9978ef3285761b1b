package isolation_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"chatserver.dev/pkg/storetest"
)

// watching records the changes of all rows in the table row_changes, which no call reads.
const watching = `
create table row_changes (number bigserial, name text, before jsonb, after jsonb);
create function watch_row() returns trigger language plpgsql security definer set search_path from current as $$ begin
	insert into row_changes (name, before, after) values (tg_argv[0], to_jsonb(old), to_jsonb(new));
	return null;
end $$;
do $$ declare name regclass; begin
	for name in select oid from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not in ('row_changes', 'installation')
	loop
		execute format('create trigger watch_row after insert or update or delete on %s for each row execute function watch_row(%L)', name, name);
	end loop;
end $$`

// rowChange is a change of a row: an insertion, an update or a deletion.
type rowChange struct {
	Name          string
	Before, After *string
}

// nothing is the effect of a call that changes no row.
const nothing = "nothing"

// holders are the columns with the account that a row belongs to, by precedence.
var holders = []string{"user_id", "sender_id", "author_id", "inviter_id", "acting_user_id"}

// effects returns which rows were changed since the last call, and forgets them.
func (w *rights) effects(c *caller) string {
	w.t.Helper()
	found := map[string]bool{}
	for _, change := range storetest.Rows[rowChange](w.db, "with gone as (delete from row_changes returning *) select name, before, after from gone order by number") {
		found[change.of(w, c)] = true
	}
	if len(found) == 0 {
		return nothing
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), "; ")
}

// of returns a line about a change by a caller.
func (r rowChange) of(w *rights, c *caller) string {
	w.t.Helper()
	read := func(text *string) (row map[string]any) {
		if text == nil {
			return nil
		}
		if err := json.Unmarshal([]byte(*text), &row); err != nil {
			w.t.Fatal(err)
		}
		return row
	}
	before, after := read(r.Before), read(r.After)
	row, what := after, "added"
	switch {
	case after == nil:
		row, what = before, "removed"
	case before != nil:
		changed := []string{}
		for _, column := range slices.Sorted(maps.Keys(after)) {
			if !reflect.DeepEqual(before[column], after[column]) {
				changed = append(changed, column)
			}
		}
		what = strings.Join(changed, " ")
	}
	of := ""
	for _, column := range holders {
		if holder, ok := row[column].(float64); ok {
			if of = " of others"; int64(holder) == int64(c.ID) {
				of = " of one's own"
			}
			break
		}
	}
	if r.Name == "event_log" {
		of = fmt.Sprintf(" %v", row["type"])
	}
	return r.Name + of + ": " + what
}

// others returns a function that adds to the parameters of a call those that its endpoint doesn't have and other endpoints have,
// and the names of all columns: an endpoint ignores them.
func (w *rights) others() func(route string, p params) params {
	w.t.Helper()
	names, has := map[string]bool{}, map[string]map[string]bool{}
	for _, name := range storetest.Values[string](w.db, "select distinct column_name from information_schema.columns where table_schema = 'public'") {
		names[name] = true
	}
	for _, e := range w.Endpoints {
		has[e.Route()] = map[string]bool{}
		for _, p := range e.Params() {
			names[p.Name], has[e.Route()][p.Name], has[e.Route()][p.Alias] = true, true, true
		}
	}
	return func(route string, p params) params {
		all := maps.Clone(p)
		if all == nil {
			all = params{}
		}
		for name := range names {
			if !has[route][name] {
				all[name] = 1
			}
		}
		return all
	}
}
