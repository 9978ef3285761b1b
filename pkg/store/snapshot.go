package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/store/sqlc"
)

// Snapshot is a state of the database, as the set of transactions that are part of it.
type Snapshot struct {
	xmin, xmax uint64
	running    []uint64 // between the two, and not part of it; ascending
}

// currentSnapshot returns the state of the database that a statement on this connection or transaction sees now.
func currentSnapshot(ctx context.Context, on sqlc.DBTX) (Snapshot, error) {
	text := ""
	if err := on.QueryRow(ctx, "select pg_current_snapshot()::text").Scan(&text); err != nil {
		return Snapshot{}, fmt.Errorf("take snapshot: %w", err)
	}
	return ParseSnapshot(text)
}

// ParseSnapshot reads PostgreSQL's text form, xmin:xmax:running.
func ParseSnapshot(text string) (Snapshot, error) {
	bad := fmt.Errorf("%q isn't a snapshot of PostgreSQL", text)
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Snapshot{}, bad
	}
	s := Snapshot{}
	var err error
	if s.xmin, err = strconv.ParseUint(parts[0], 10, 64); err != nil {
		return Snapshot{}, bad
	}
	if s.xmax, err = strconv.ParseUint(parts[1], 10, 64); err != nil {
		return Snapshot{}, bad
	}
	if parts[2] == "" {
		return s, nil
	}
	for part := range strings.SplitSeq(parts[2], ",") {
		xid, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return Snapshot{}, bad
		}
		s.running = append(s.running, xid)
	}
	return s, nil
}

// String returns the text form that [ParseSnapshot] reads.
func (s Snapshot) String() string {
	running := make([]string, len(s.running))
	for i, xid := range s.running {
		running[i] = strconv.FormatUint(xid, 10)
	}
	return fmt.Sprintf("%d:%d:%s", s.xmin, s.xmax, strings.Join(running, ","))
}

// Contains reports whether the transaction's writes are part of the state.
func (s Snapshot) Contains(xid uint64) bool {
	if xid < s.xmin || xid >= s.xmax {
		return xid < s.xmin
	}
	_, running := slices.BinarySearch(s.running, xid)
	return !running
}
