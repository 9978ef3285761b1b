package inbox

import (
	"context"
	"math"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// ErrNoTopic says that the caller has no message of a topic (rest-api.md, section 2.10).
var ErrNoTopic = fault.Bad("No such topic '%s'")

// MarkAll marks everything as read that was sent to the caller (rest-api.md, section 2.10). Their
// clients hear of it even when nothing was unread.
func (s *Service) MarkAll(ctx context.Context, who actor.Actor) error {
	upto, err := s.settledEverywhere(ctx, who)
	if err != nil {
		return err
	}
	err = s.change(ctx, who, func(tx *store.Tx) error {
		if err := tx.ReadEverything(ctx, int64(upto), who.User); err != nil {
			return err
		}
		if err := tx.ForgetUnreadAgain(ctx, who.User); err != nil {
			return err
		}
		e := event.MarkedRead([]id.Message{}, who.User)
		e.All = true
		return tx.Emit(ctx, e)
	})
	if err != nil {
		return err
	}
	return s.emitUnread(ctx, who)
}

// settledEverywhere returns the id up to which every message to the caller is there to see.
func (s *Service) settledEverywhere(ctx context.Context, who actor.Actor) (id.Message, error) {
	// Places that are made from now on get greater ids.
	upto, err := s.settled(ctx, who, nil)
	if err != nil {
		return 0, err
	}
	places := []int64{}
	err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
		places, err = tx.PlacesOf(ctx, who.User)
		return err
	})
	if err != nil {
		return 0, err
	}
	_, err = s.settled(ctx, who, places)
	return upto, err
}

// emitUnread emits what is unread, after an event that said everything is read: the caller's clients may already have
// messages that came too late to be marked. All of those are stored once the messages that were on their way are settled.
func (s *Service) emitUnread(ctx context.Context, who actor.Actor) error {
	if _, err := s.settledEverywhere(ctx, who); err != nil {
		return err
	}
	return s.change(ctx, who, func(tx *store.Tx) error {
		rows, err := readUnread(ctx, tx, who.User)
		if err != nil || len(rows) == 0 {
			return err
		}
		e := event.MarkedRead(lists.Map(rows, func(row sqlc.UnreadMessagesRow) id.Message { return id.Message(row.MessageID) }), who.User)
		e.Operation = event.RemoveFlag
		return tx.Emit(ctx, e)
	})
}

// MarkStream marks everything as read that was sent to the caller in a stream (rest-api.md, section
// 2.10). It fails with [stream.ErrInvalidID].
func (s *Service) MarkStream(ctx context.Context, who actor.Actor, in id.Stream) error {
	upto, err := s.settledStream(ctx, who, in, func(*store.Tx) error { return nil })
	if err != nil {
		return err
	}
	ends, err := s.portions(ctx, who, upto, func(tx *store.Tx) ([]id.Message, error) {
		return tx.PortionsOfStream(ctx, sqlc.PortionsOfStreamParams{StreamID: in, UserID: who.User, Upto: int64(upto), Portion: s.portion()})
	})
	if err != nil {
		return err
	}
	return s.inPortions(ctx, who, ends, func(tx *store.Tx, upto id.Message) ([]id.Message, error) {
		rows, err := tx.UnreadInStreams(ctx, sqlc.UnreadInStreamsParams{
			StreamIds: []int64{int64(in)}, UserIds: []int64{int64(who.User)}, Upto: int64(upto), MaxMessages: math.MaxInt32,
		})
		if err != nil {
			return nil, err
		}
		unread := []id.Message{}
		for _, row := range rows { // one, or none where nothing is unread
			unread = id.Convert[id.Message](row.Messages)
		}
		if err := tx.ReadStream(ctx, int64(upto), who.User, in); err != nil {
			return nil, err
		}
		_, err = s.advance(ctx, tx, who.User, []int64{int64(in)}, upto) // drops the marks of its topics
		return unread, err
	})
}

// MarkTopic marks everything as read that was sent to the caller in a topic, whose name is compared
// without case; an empty one stands for the whole stream (rest-api.md, section 2.10). It fails with
// [stream.ErrInvalidID] or [ErrNoTopic].
func (s *Service) MarkTopic(ctx context.Context, who actor.Actor, in id.Stream, topic string) error {
	if topic == "" {
		return s.MarkStream(ctx, who, in)
	}
	upto, err := s.settledStream(ctx, who, in, func(tx *store.Tx) error {
		holds, err := tx.HoldsTopic(ctx, topic, in, who.User)
		if err == nil && !holds {
			err = ErrNoTopic.Format(topic)
		}
		return err
	})
	if err != nil {
		return err
	}
	ends, err := s.portions(ctx, who, upto, func(tx *store.Tx) ([]id.Message, error) {
		return tx.PortionsOfTopic(ctx, sqlc.PortionsOfTopicParams{
			StreamID: in, Topic: topic, UserID: who.User, Upto: int64(upto), Portion: s.portion(),
		})
	})
	if err != nil {
		return err
	}
	left := []int64(nil)
	err = s.inPortions(ctx, who, ends, func(tx *store.Tx, upto id.Message) ([]id.Message, error) {
		unread, err := tx.UnreadInTopic(ctx, sqlc.UnreadInTopicParams{Topic: topic, StreamID: in, UserID: who.User, Upto: int64(upto)})
		if err != nil {
			return nil, err
		}
		err = tx.ReadTopic(ctx, sqlc.ReadTopicParams{Topic: topic, Upto: int64(upto), UserID: who.User, StreamID: in})
		if err != nil {
			return nil, err
		}
		left, err = s.advance(ctx, tx, who.User, []int64{int64(in)}, upto)
		return unread, err
	})
	if err != nil {
		return err
	}
	return s.advanceRest(ctx, who, left, upto)
}

// portion is how many messages one transaction marks.
func (s *Service) portion() int32 { return int32(s.limits.portion) } //nolint:gosec // a constant

// portions reads where the portions end in which messages up to one are marked as read.
func (s *Service) portions(
	ctx context.Context, who actor.Actor, upto id.Message, read func(tx *store.Tx) ([]id.Message, error),
) (ends []id.Message, err error) {
	err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
		ends, err = read(tx)
		return err
	})
	return append(ends, upto), err
}

// inPortions marks messages as read in a transaction for each portion, and emits to the caller's clients which those
// are, even if nothing was unread. Who is interrupted repeats the request, which does the rest.
func (s *Service) inPortions(
	ctx context.Context, who actor.Actor, ends []id.Message, read func(tx *store.Tx, upto id.Message) (unread []id.Message, err error),
) error {
	emitted := false
	for i, upto := range ends {
		some := false
		err := s.change(ctx, who, func(tx *store.Tx) error {
			unread, err := read(tx, upto)
			some = len(unread) > 0
			if err != nil || !some && (emitted || i < len(ends)-1) {
				return err
			}
			return emitRead(ctx, tx, who, unread)
		})
		if err != nil {
			return err
		}
		emitted = emitted || some
	}
	return nil
}

// settledStream returns the id up to which every message of a stream is there to see, for a caller who
// may access it and passes check.
func (s *Service) settledStream(ctx context.Context, who actor.Actor, in id.Stream, check func(tx *store.Tx) error) (id.Message, error) {
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		if _, err := stream.ByID(ctx, tx, who, in); err != nil {
			return err
		}
		return check(tx)
	})
	if err != nil {
		return 0, err
	}
	return s.settled(ctx, who, []int64{int64(in)})
}

// emitRead emits to the caller's clients what was marked as read, which isn't unread again then.
func emitRead(ctx context.Context, tx *store.Tx, who actor.Actor, messages []id.Message) error {
	if err := tx.ReadAgain(ctx, who.User, id.Convert[int64](messages)); err != nil {
		return err
	}
	return tx.Emit(ctx, event.MarkedRead(messages, who.User))
}
