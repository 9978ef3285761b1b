package inbox

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
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
	return &Service{db: db, limits: limits{portion: 150, passed: 1000, passedEach: 50, again: 1000}}
}

// change runs work on the caller's own marks while they are locked.
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

// locksAtOnce bounds how many places are waited for in one transaction: the server's table of locks
// is shared by everybody.
const locksAtOnce = 500

// settled returns the id up to which all messages of these places are committed, so that "everything up to here"
// means the same now and later. It waits for messages that are being sent.
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

// limits bound the work of one transaction: the events of all organizations wait for it.
type limits struct {
	portion    int // messages that are marked
	passed     int // messages that the marks of streams pass
	passedEach int // the same for each message of a list that is marked, so that marking a single one is quick
	again      int // ranges from which on unread_again takes no more of what is passed
}

// advance moves the marks of streams over messages that are read now, and deletes marks of topics that have
// become redundant. Messages that a mark has passed are never read again, which saves more than this costs.
// It returns the streams that are left for [Service.advanceRest].
func (s *Service) advance(ctx context.Context, tx *store.Tx, user id.User, streams []int64, upto id.Message) (left []int64, err error) {
	return tx.AdvanceMarks(ctx, sqlc.AdvanceMarksParams{
		UserID: int64(user), StreamIds: streams, Upto: int64(upto), Look: int32(s.limits.passed), Ranges: int32(s.limits.again),
	})
}

// advanceRest moves the marks of the streams that [Service.advance] has left, in transactions of their own. Nothing
// that is read depends on it.
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
