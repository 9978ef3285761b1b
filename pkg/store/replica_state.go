package store

import (
	"context"

	"chatserver.dev/pkg/store/sqlc"
)

// walPosition is a server's position in the write-ahead log. Positions on different timelines can't be compared.
type walPosition struct {
	timeline string
	at       int64 // in bytes
}

// has reports whether a server at this position has everything that was visible at another position.
func (p walPosition) has(other walPosition) bool {
	return p.timeline == other.timeline && p.at >= other.at
}

// state is a position in the history of one database.
type state struct {
	database string
	walPosition
}

func stateOf(ctx context.Context, q *sqlc.Queries) (state, error) {
	row, err := q.ServerState(ctx)
	return state{row.Database, walPosition{row.Timeline, row.Place}}, err
}

func positionOf(ctx context.Context, q *sqlc.Queries) (walPosition, error) {
	row, err := q.PrimaryPlace(ctx)
	return walPosition{row.Timeline, row.Place}, err
}
