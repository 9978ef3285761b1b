package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/fault"
)

// ErrFull is what a write fails with while PostgreSQL finds no room on its disk. Nothing of it is stored.
var ErrFull = fault.New(fault.Unavailable, fault.CodeNone, "The server can't store this, as its disk is full: try again later, or tell its administrator")

// room is how much a disk has to have left, in bytes: PostgreSQL ends where it can't add a segment to its log,
// and they have this size unless it was set up otherwise.
const room = 16 << 20

// explained gives the error of a write as its caller is to see it.
func explained(err error) error {
	if isFull(err) {
		return ErrFull.Wrap(err)
	}
	return err
}

func isFull(err error) bool { return hasState(err, "53100") }

// Check says whether the database takes writes, and will for a while: nil, or one sentence with what to do. It
// changes nothing.
func (db *DB) Check(ctx context.Context) error {
	conn, err := db.service.Acquire(ctx)
	if err != nil {
		return unreachable(db.service.Config().ConnConfig, err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "begin"); err != nil {
		return unreachable(db.service.Config().ConnConfig, err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), "rollback") //nolint:errcheck // what fails here is closed by Release
	if err := checkServer(ctx, conn.Conn()); err != nil {
		return err
	}
	return checkRoom(ctx, conn.Conn())
}

// checkRoom looks whether there is room on the disk, within a transaction. Rows that don't fit into the memory that a
// statement may have go to a temporary file, beside the tables: nothing is changed.
func checkRoom(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "set local work_mem = '64kB'"); err != nil {
		return fmt.Errorf("look for room on the disk: %w", err)
	}
	const row = 8000 // of text
	_, err := conn.Exec(ctx, "with filling as materialized (select repeat('x', $1) from generate_series(1, $2)) select count(*) from filling", row, room/row+1)
	if isFull(err) {
		return fmt.Errorf("PostgreSQL at %s has less than %d MB left on its disk, and stops when nothing is left: free some of it, or enlarge it",
			address(conn.Config()), room>>20)
	}
	return wrap(err, "look for room on the disk")
}
