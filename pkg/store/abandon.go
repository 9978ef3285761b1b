package store

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// abandonTime is how long a statement may still take after its context is canceled. By default, package pgx closes the
// connection at once. A new connection costs PostgreSQL as much as a thousand small statements, so clients that send
// requests and disconnect could overload it. Nearly all statements end within this time.
const abandonTime = time.Second

// prepareAbandon makes connections wait up to abandonTime for a statement whose context is canceled. A statement whose
// deadline has passed still ends at once, since then the server doesn't answer.
func prepareAbandon(config *pgx.ConnConfig) {
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler { return abandoned{conn.Conn()} }
}

// abandoned is a connection with a statement whose context has ended.
type abandoned struct{ conn net.Conn }

// HandleCancel implements ctxwatch.Handler.
func (a abandoned) HandleCancel(ctx context.Context) {
	end := time.Now() //nolint:forbidigo // connections have the system's time
	if errors.Is(ctx.Err(), context.Canceled) {
		end = end.Add(abandonTime)
	}
	_ = a.conn.SetDeadline(end) // it fails only if the connection is closed
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (a abandoned) HandleUnwatchAfterCancel() { _ = a.conn.SetDeadline(time.Time{}) }
