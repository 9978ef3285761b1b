package store_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// What is large in messages and in the log is compressed by LZ4, also in partitions that are created later.
func TestCompression(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.Exec("create table later partition of event_log for values from ('2100-01-01') to ('2100-02-01')")
	large := strings.Repeat("valve ", 1000)
	org := w.org()
	w.session.Exec(`insert into event_log (shard, org_id, type, payload, audience, created_at) values (0, $1, 'x', $2, $2, '2100-01-02'), (0, $1, 'x', $2, $2, now())`, org, large)
	methods := storetest.Values[string](w.session, `select distinct m from event_log,
		unnest(array[pg_column_compression(payload), pg_column_compression(audience)]) m where type = 'x'`)
	if len(methods) != 1 || methods[0] != "lz4" {
		t.Errorf("the log has %q", methods)
	}
	others := storetest.Values[string](w.session, `select format('%s %s', attname, attcompression) from pg_attribute
		where attrelid = 'messages'::regclass and attname in ('content', 'rendered', 'edits') and attcompression <> 'l'
			or attrelid = 'deleted_messages'::regclass and attname = 'message' and attcompression <> 'l'`)
	if len(others) > 0 {
		t.Errorf("messages have %q", others)
	}
}
