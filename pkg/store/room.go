package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// room is the minimum free space on the disk, in bytes. PostgreSQL stops if it can't add a segment to its write-ahead
// log, and this is the default size of a segment.
const room = 16 << 20

// checkTime bounds [DB.Check], which writes a file.
const checkTime = 10 * time.Second

// Check checks that the database accepts writes and has room for more. If not, the error is a sentence that says what to
// do. It changes nothing.
func (db *DB) Check(ctx context.Context) error {
	config := db.service.connections.Config().ConnConfig
	connected := false
	_, err := ask(ctx, db.service, checkTime, func(ctx context.Context, conn *pgx.Conn) (any, error) {
		connected = true
		tx, err := conn.Begin(ctx)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx) //nolint:errcheck // if it fails, the connection is closed
		if err := checkServer(ctx, conn); err != nil {
			return nil, err
		}
		return nil, checkRoom(ctx, conn)
	})
	if errors.Is(err, ErrUnavailable) {
		err = errors.Unwrap(err)
		if connected && errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("PostgreSQL at %s doesn't respond in time: check its load, its disk, and the network: %w", address(config), lineError{err})
		}
		return unreachable(config, err)
	}
	return err
}

// checkRoom checks, in a transaction, that there is room on the disk. Rows that exceed a statement's work_mem go to a
// temporary file on the disk of the tables, so nothing is changed.
func checkRoom(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "set local work_mem = '64kB'"); err != nil {
		return fmt.Errorf("measure the free disk space: %w", err)
	}
	const row = 8000 // of text
	_, err := conn.Exec(ctx, "with filling as materialized (select repeat('x', $1) from generate_series(1, $2)) select count(*) from filling", row, room/row+1)
	if isFull(err) {
		return fmt.Errorf("PostgreSQL at %s has less than %d MB left on its disk, and stops when it is full: free some space, or enlarge the disk",
			address(conn.Config()), room>>20)
	}
	return wrap(err, "measure the free disk space")
}
