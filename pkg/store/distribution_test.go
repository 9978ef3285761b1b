package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
)

// obstacles are the rules by which Citus would refuse to distribute organizations over several servers. Tables are
// distributed by org_id, so it must be in each unique index, and in both sides of each foreign key between
// distributed tables. Tables without org_id, and organizations, are copied to each server.
const obstacles = `
with tables as (
	select c.oid, c.relname, exists (
		select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
	) and c.relname <> 'organizations' as distributed
	from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
), columns as (
	select t.oid, t.relname, a.attnum from tables t join pg_attribute a on a.attrelid = t.oid and a.attname = 'org_id' where t.distributed
)
select 'table without org_id: ' || relname as obstacle from tables where not distributed and relname <> 'organizations'
union all
select 'unique without org_id: ' || i.indexrelid::regclass from pg_index i join columns c on c.oid = i.indrelid
where i.indisunique and not c.attnum = any (i.indkey)
union all
select 'exclusion: ' || x.conname from pg_constraint x join columns c on c.oid = x.conrelid where x.contype = 'x'
union all
select 'foreign key from a table that is copied: ' || f.conname from pg_constraint f join tables t on t.oid = f.conrelid
join columns other on other.oid = f.confrelid where f.contype = 'f' and not t.distributed
union all
select 'foreign key without org_id: ' || f.conname from pg_constraint f join columns c on c.oid = f.conrelid
join columns other on other.oid = f.confrelid
where f.contype = 'f' and not exists (
	select from unnest(f.conkey, f.confkey) pair (here, there) where pair.here = c.attnum and pair.there = other.attnum
)
order by obstacle`

// The tables can be distributed by organization, except for those in the list, which has a reason for each.
func TestDistribution(t *testing.T) {
	t.Parallel()
	_, url := storetest.OpenURL(t)
	want := []string{
		// Tables of the server, not of an organization: they are small, or are read a few times per minute.
		"table without org_id: goose_db_version",
		"table without org_id: image_keys",
		"table without org_id: installation",
		"table without org_id: missed_places",
		"table without org_id: unkept_files",
		// Hashes of random secrets, which are unique anyway: an index with org_id would be enough.
		"unique without org_id: logins_key_hash_key",
		"unique without org_id: streams_email_token",
		"unique without org_id: users_api_key_hash_key",
		"unique without org_id: users_previous_key_hash_key",
	}
	if diff := cmp.Diff(want, storetest.Values[string](storetest.Connect(t, url), obstacles)); diff != "" {
		t.Errorf("obstacles to distributing the tables (-want +got):\n%s", diff)
	}
}
