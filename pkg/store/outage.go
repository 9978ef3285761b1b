package store

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/fault"
)

// The errors of requests while the database fails.
var (
	// ErrUnavailable reports that PostgreSQL can't be reached, is stopping or starting, or accepts no more connections.
	// Nothing is stored.
	ErrUnavailable = fault.New(fault.Unavailable, fault.CodeNone, "The server can't reach its database: nothing was changed; try again in a few seconds")
	// ErrSlow reports that PostgreSQL took too long, or waited too long for a lock. Nothing is stored.
	ErrSlow = fault.New(fault.Unavailable, fault.CodeNone, "The server's database takes too long: nothing was changed; try again in a few seconds")
	// ErrUnsure reports that the connection to PostgreSQL broke during a commit: it is unknown whether the write is stored.
	ErrUnsure = fault.New(fault.Unavailable, fault.CodeNone, "The server lost its database while it stored this: look whether it is there before you try again")
	// ErrFull reports that a write failed because PostgreSQL's disk is full. Nothing of it is stored.
	ErrFull = fault.New(fault.Unavailable, fault.CodeNone, "The server can't store this, as its disk is full: try again later, or tell its administrator")
)

// explained returns err as clients see it: as a fault if the database failed. broken reports that the connection broke
// and nothing is stored. If ctx was canceled, err is returned unchanged.
func explained(ctx context.Context, err error, broken bool) error {
	refusal := (*pgconn.PgError)(nil)
	switch {
	case err == nil || fault.Of(err) != nil || errors.Is(ctx.Err(), context.Canceled):
		return err
	case isFull(err):
		return ErrFull.Wrap(err)
	case hasState(err, "57014", "55P03", "25P04"): // statement_timeout or a cancellation, lock_timeout, transaction_timeout
		return ErrSlow.Wrap(err)
	case broken, errors.As(err, &refusal) && isGoing(refusal):
		return ErrUnavailable.Wrap(err)
	}
	return err
}

// tooManyConnections is the error of a new connection where there are as many as the server, the database or the role may have.
const tooManyConnections = "53300"

func isFull(err error) bool { return hasState(err, "53100") }

// isGoing reports whether the server refused a statement because it is stopping or starting, has no connection left, or
// no longer accepts writes, like a former primary that is now a replica.
func isGoing(refusal *pgconn.PgError) bool {
	switch refusal.Code {
	case "57P01", "57P02", "57P03", "57P05", tooManyConnections, "25006", "25P03":
		return true
	}
	return strings.HasPrefix(refusal.Code, "08") // the connection
}
