package store

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/fault"
)

// What requests fail with while the database can't do its work.
var (
	// ErrUnavailable is what fails while PostgreSQL can't be reached, ends or starts, or takes no more connections.
	// Nothing is stored.
	ErrUnavailable = fault.New(fault.Unavailable, fault.CodeNone, "The server can't reach its database: nothing was changed; try again in a few seconds")
	// ErrSlow is what fails where PostgreSQL takes too long, or somebody else holds what it needs. Nothing is stored.
	ErrSlow = fault.New(fault.Unavailable, fault.CodeNone, "The server's database takes too long: nothing was changed; try again in a few seconds")
	// ErrUnsure is what a write fails with when the connection to PostgreSQL broke while it was being stored: nobody
	// knows whether it was.
	ErrUnsure = fault.New(fault.Unavailable, fault.CodeNone, "The server lost its database while it stored this: look whether it is there before you try again")
	// ErrFull is what a write fails with while PostgreSQL finds no room on its disk. Nothing of it is stored.
	ErrFull = fault.New(fault.Unavailable, fault.CodeNone, "The server can't store this, as its disk is full: try again later, or tell its administrator")
)

// explained is err as clients are to see it: a fault where it is the database that fails. broken says that the
// connection broke, and that nothing is stored. What happens after ctx was canceled is left as it is.
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

func isFull(err error) bool { return hasState(err, "53100") }

// isGoing reports whether the server refused a statement since it ends, starts, has no connection left or takes no
// writes any more, as a primary server does that became a replica.
func isGoing(refusal *pgconn.PgError) bool {
	switch refusal.Code {
	case "57P01", "57P02", "57P03", "57P05", "53300", "25006", "25P03":
		return true
	}
	return strings.HasPrefix(refusal.Code, "08") // the connection
}
