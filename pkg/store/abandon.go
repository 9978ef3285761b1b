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

// abandonTime is how long a statement may still take after its caller has gone. Package pgx ends it at once, by
// closing the connection; but a new connection costs PostgreSQL as much as a thousand small statements, so whoever sends
// requests and goes would load it with nothing but that. Nearly all statements end in time without that.
const abandonTime = time.Second

// prepareAbandon lets statements end whose context is canceled. A deadline ends them at once, as before: there it is
// the server that doesn't answer.
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
	_ = a.conn.SetDeadline(end) // where that fails, the connection is closed
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (a abandoned) HandleUnwatchAfterCancel() { _ = a.conn.SetDeadline(time.Time{}) }
