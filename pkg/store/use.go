package store

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/store/sqlc"
)

// useLife is how long a server counts as running after its last [Log.NoteUse].
const useLife = 150 * time.Second

// Server is a server that uses a database: its host, and an id of its Redis. A server whose host is changed, or that gets another Redis,
// remains the same.
type Server struct {
	Host, Redis string
}

// CheckUse checks that no other server uses the database at present. If one does, the error is a sentence that says what to do.
func (s Schema) CheckUse(by Server) error {
	if s.usedBy.Host == "" || s.usedBy.Host == by.Host || s.usedBy.Redis == by.Redis {
		return nil
	}
	return fmt.Errorf("another server, %s, uses the same database: correct DATABASE_URL, so that each has its own; if that is this server "+
		"with another host and another Redis, stop it first, and wait for %s", s.usedBy.Host, useLife)
}

// NoteUse records that a server uses the database. Callers repeat it once a minute. It reports false if another server
// uses the database.
func (l Log) NoteUse(ctx context.Context, by Server) (noted bool, err error) {
	return query(ctx, l.db.everywhere, 2*l.db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (bool, error) {
		rows, err := q.NoteUse(ctx, by.Host, by.Redis, useLife.Seconds())
		return rows > 0, err
	})
}
