package store

import (
	"context"

	"chatserver.dev/pkg/store/sqlc"
)

// place is a server's position in the write-ahead log. Places on different timelines can't be compared.
type place struct {
	timeline string
	at       int64 // in bytes
}

// has reports whether a server at this place has everything that was visible at another place.
func (p place) has(other place) bool { return p.timeline == other.timeline && p.at >= other.at }

// state is a place in the history of one database.
type state struct {
	database string
	place
}

func stateOf(ctx context.Context, q *sqlc.Queries) (state, error) {
	row, err := q.ServerState(ctx)
	return state{row.Database, place{row.Timeline, row.Place}}, err
}

func placeOf(ctx context.Context, q *sqlc.Queries) (place, error) {
	row, err := q.PrimaryPlace(ctx)
	return place{row.Timeline, row.Place}, err
}
