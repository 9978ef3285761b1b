package inbox

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Service changes which messages are read and starred. It is safe for concurrent use.
type Service struct {
	db     *store.DB
	limits limits
}

// New makes the service.
func New(db *store.DB) *Service {
	return &Service{db: db, limits: limits{portion: 150, passed: 1000, passedEach: 50, again: 1000}}
}

// change runs work in a transaction that holds the lock on the caller's marks.
func (s *Service) change(ctx context.Context, who actor.Actor, work func(tx *store.Tx) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockOwnMarks(ctx); err != nil {
			return err
		}
		if err := tx.LockAccount(ctx, who.User); err != nil {
			return err
		}
		return work(tx)
	})
}

// locksAtOnce is the maximum number of streams and conversations that one transaction waits for: all transactions share PostgreSQL's
// table of locks.
const locksAtOnce = 500

// settled returns an id up to which all messages of these streams and conversations are committed, so that no message appears below
// it later. It waits for messages that are being sent.
func (s *Service) settled(ctx context.Context, who actor.Actor, places []int64) (upto id.Message, err error) {
	for first := true; err == nil && (first || len(places) > 0); first = false {
		n := min(len(places), locksAtOnce)
		err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
			now, err := tx.SettledUpto(ctx, places[:n])
			if first {
				upto = id.Message(now)
			}
			return err
		})
		places = places[n:]
	}
	return upto, err
}

// limits bounds the work of one transaction: the events of all organizations wait for it.
type limits struct {
	portion    int // messages that are marked
	passed     int // messages that the marks of streams pass
	passedEach int // passed for each message of a list, so that marking a single message is fast
	again      int // ranges in unread_again, from which on passed messages aren't added to it
}

// advance moves the marks of streams forward over messages that are read now, and deletes marks of topics that have
// become redundant. Later queries don't scan the messages before a mark, which saves more than this costs.
// It returns the streams that remain for [Service.advanceRest].
func (s *Service) advance(ctx context.Context, tx *store.Tx, user id.User, streams []int64, upto id.Message) (left []int64, err error) {
	return tx.AdvanceMarks(ctx, sqlc.AdvanceMarksParams{
		UserID: int64(user), StreamIds: streams, Upto: int64(upto), Look: int32(s.limits.passed), Ranges: int32(s.limits.again),
	})
}

// advanceRest moves the marks of the streams that remain after [Service.advance], in separate transactions. The read state doesn't
// depend on it.
func (s *Service) advanceRest(ctx context.Context, who actor.Actor, left []int64, upto id.Message) error {
	for len(left) > 0 {
		now := left
		err := s.change(ctx, who, func(tx *store.Tx) (err error) {
			left, err = s.advance(ctx, tx, who.User, now, upto)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
