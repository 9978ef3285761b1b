package topic

import (
	"context"
	"math"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// Errors of muting (rest-api.md, section 3.8; http-api.md, "Errors"), besides [stream.ErrInvalidID] and
// [stream.ErrInvalidName].
var (
	// ErrNoStream says that the request doesn't name the topic's stream.
	ErrNoStream = fault.Bad("Please supply 'stream'.")
	// ErrTwoStreams says that the request names two streams.
	ErrTwoStreams = fault.Bad("Please choose one: 'stream' or 'stream_id'.")
	// ErrAlreadyMuted says that the topic is already muted.
	ErrAlreadyMuted = fault.Plain("Topic already muted")
	// ErrNotMuted says that the topic isn't muted.
	ErrNotMuted = fault.Plain("Topic is not muted")
	// ErrMany says that the caller has muted the maximum number of topics.
	ErrMany = fault.Bad("You have muted %d topics, which is the limit.")
)

// maxMuted is the maximum number of topics in active streams that an account can mute. There is one because each change
// emits all of them.
const maxMuted = 1000

// Ref identifies a topic's stream by id, by name or both; nil: not given.
type Ref struct {
	ID   *id.Stream
	Name *string
}

// Service mutes and unmutes topics. It is safe for concurrent use.
type Service struct{ db *store.DB }

// New makes the service.
func New(db *store.DB) *Service { return &Service{db: db} }

// Mute mutes a topic. It requires access to the stream, but no subscription.
func (s *Service) Mute(ctx context.Context, who actor.Actor, in Ref, topic string) error {
	return s.change(ctx, who, in, maxMuted, func(tx *store.Tx) error {
		found, err := accessible(ctx, tx, who, in)
		if err != nil {
			return err
		}
		added, err := tx.MuteTopic(ctx, who.User, found, spelling.Name(topic))
		if err == nil && added == 0 {
			err = ErrAlreadyMuted
		}
		return err
	})
}

// Unmute unmutes a topic. It doesn't require access to the stream.
func (s *Service) Unmute(ctx context.Context, who actor.Actor, in Ref, topic string) error {
	return s.change(ctx, who, in, math.MaxInt, func(tx *store.Tx) error {
		named, err := streamNamed(ctx, tx, who, in)
		if err != nil {
			return err
		}
		found := named
		if in.ID != nil {
			found = *in.ID
		}
		removed, err := tx.UnmuteTopic(ctx, who.User, found, spelling.Name(topic))
		switch {
		case err != nil:
			return err
		case removed == 0:
			return ErrNotMuted
		case in.Name != nil && named != found:
			return ErrTwoStreams // also if no stream has the name, so it reveals nothing; nothing is removed
		default:
			return nil
		}
	})
}

// change changes the caller's list of muted topics and emits the event. It fails if the list is then longer than limit.
func (s *Service) change(ctx context.Context, who actor.Actor, in Ref, limit int, change func(tx *store.Tx) error) error {
	if in.ID == nil && in.Name == nil {
		return ErrNoStream
	}
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockAccount(ctx, who.User); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		muted, err := MutedBy(ctx, tx, who.User)
		switch {
		case err != nil:
			return err
		case len(muted) > limit:
			return ErrMany.Format(limit)
		}
		return tx.Emit(ctx, event.MutedTopics{User: who.User, Topics: Tuples(muted), Named: NamedTuples(muted, who.Role)})
	})
}

// accessible returns the stream, if who has access to it.
func accessible(ctx context.Context, tx *store.Tx, who actor.Actor, in Ref) (id.Stream, error) {
	found := stream.Visible{}
	if in.ID != nil {
		var err error
		if found, err = stream.ByID(ctx, tx, who, *in.ID); err != nil {
			return 0, err
		}
	}
	if in.Name != nil {
		named, err := stream.ByName(ctx, tx, who, *in.Name)
		if err != nil {
			return 0, err
		}
		if in.ID != nil && named.StreamID != found.StreamID {
			return 0, ErrTwoStreams
		}
		found = named
	}
	return found.StreamID, nil
}

// streamNamed returns the stream with the name of a reference, regardless of access. It returns zero if there is no
// such stream or no name.
func streamNamed(ctx context.Context, tx *store.Tx, who actor.Actor, in Ref) (id.Stream, error) {
	if in.Name == nil {
		return 0, nil
	}
	row, err := tx.StreamByName(ctx, who.User, spelling.Name(*in.Name))
	if err != nil && !store.IsNotFound(err) {
		return 0, err
	}
	return row.Stream.StreamID, nil
}
