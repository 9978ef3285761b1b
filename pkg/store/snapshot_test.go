package store_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// TestSnapshotContains compares Contains with PostgreSQL's result.
func TestSnapshotContains(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		xmin := rapid.Uint64Range(3, 1<<31).Draw(rt, "xmin")
		xmax := xmin + rapid.Uint64Range(0, 12).Draw(rt, "width")
		running := []string{}
		for xid := xmin; xid < xmax; xid++ {
			if rapid.Bool().Draw(rt, "running") {
				running = append(running, strconv.FormatUint(xid, 10))
			}
		}
		text := fmt.Sprintf("%d:%d:%s", xmin, xmax, strings.Join(running, ","))
		parsed, err := store.ParseSnapshot(text)
		if err != nil {
			rt.Fatal(err)
		}
		if parsed.String() != text {
			rt.Fatalf("%q became %q", text, parsed.String())
		}
		xids := []int64{}
		for xid := max(xmin, 5) - 2; xid < xmax+3; xid++ {
			xids = append(xids, int64(xid))
		}
		visible := storetest.Values[int64](w.session,
			"select x from unnest($1::bigint[]) x where pg_visible_in_snapshot(x::text::xid8, $2::text::pg_snapshot)", xids, text)
		for _, xid := range xids {
			if got, want := parsed.Contains(uint64(xid)), slices.Contains(visible, xid); got != want {
				rt.Fatalf("%s contains %d: %v, PostgreSQL says %v", text, xid, got, want)
			}
		}
	})
}

func TestParseSnapshotRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "1", "1:2", "a:2:", "1:b:", "1:2:c", "1:2:3,", "1:2:3:4", "-1:2:", "1:2: 3", "99999999999999999999:1:"} {
		if s, err := store.ParseSnapshot(text); err == nil {
			t.Errorf("%q was read as %v", text, s)
		}
	}
}
