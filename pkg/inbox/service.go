package inbox

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mark"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Service changes what people have read and starred. It is safe for concurrent use.
type Service struct {
	db     *store.DB
	limits limits
}

// New makes the service.
func New(db *store.DB) *Service {
	return &Service{db: db, limits: limits{passed: 1000, leftBehind: 10, again: 1000}}
}

// change runs work on the caller's own marks, which nobody else changes meanwhile.
func (s *Service) change(ctx context.Context, who actor.Actor, work func(tx *store.Tx) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := mark.LockOwn(ctx, tx, who.User); err != nil {
			return err
		}
		return work(tx)
	})
}

// locksAtOnce bounds how many places are waited for in one transaction: the server's table of locks
// is shared by everybody.
const locksAtOnce = 500

// settled gives the id up to which every message of these places is there to see.
func (s *Service) settled(ctx context.Context, who actor.Actor, places []int64) (id.Message, error) {
	upto, err := s.db.Settled(ctx, who.Org(), places[:min(len(places), locksAtOnce)])
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(places[min(len(places), locksAtOnce):], locksAtOnce) {
		if _, err := s.db.Settled(ctx, who.Org(), chunk); err != nil {
			return 0, err
		}
	}
	return upto, nil
}

// limits are how the marks of streams advance.
type limits struct {
	passed     int32 // messages that a mark passes in one statement
	leftBehind int32 // unread ones among them that don't stop it
	again      int32 // ranges from which on unread_again takes no more of those
}

// advance moves the marks of streams over what is read now, and drops the marks of topics that say no
// more than those. Its cost is made up for by never looking at what it passes again.
func (s *Service) advance(ctx context.Context, tx *store.Tx, user id.User, streams []int64, upto id.Message) error {
	passing := streams
	for len(passing) > 0 {
		rows, err := tx.AdvanceStreams(ctx, sqlc.AdvanceStreamsParams{
			UserID: user, StreamIds: passing, Upto: int64(upto),
			Width: s.limits.passed, Few: s.limits.leftBehind, Many: s.limits.again,
		})
		if err != nil {
			return fmt.Errorf("advance marks of user %d: %w", user, err)
		}
		passing = nil
		for _, row := range rows {
			if row.More {
				passing = append(passing, int64(row.StreamID))
			}
		}
	}
	if err := tx.DropTopicMarks(ctx, user, streams); err != nil {
		return fmt.Errorf("drop marks of user %d: %w", user, err)
	}
	return nil
}
