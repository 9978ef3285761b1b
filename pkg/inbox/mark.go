package inbox

import (
	"context"
	"math"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// ErrNoTopic says that the caller has no message of a topic (rest-api.md, section 2.10).
var ErrNoTopic = fault.Bad("No such topic '%s'")

// MarkAll marks all messages to the caller as read (rest-api.md, section 2.10). It emits an event even if no message
// was unread.
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
		if who.IsBot() {
			all := sqlc.ReadDeliveredParams{UserID: who.User, Upto: math.MaxInt64, MaxMessages: s.portion()}
			if _, err := tx.ReadDelivered(ctx, all); err != nil {
				return err
			}
		}
		e := event.MarkedRead([]id.Message{}, who.User)
		e.All = true
		return tx.Emit(ctx, e)
	})
	if err != nil {
		return err
	}
	if _, err := s.readDelivered(ctx, who, 0, "", upto); err != nil { // what was left
		return err
	}
	return s.emitUnread(ctx, who)
}

// settledEverywhere returns the id up to which all messages to the caller are committed.
func (s *Service) settledEverywhere(ctx context.Context, who actor.Actor) (id.Message, error) {
	// Streams and conversations that are created from now on get larger ids.
	upto, err := s.settled(ctx, who, nil)
	if err != nil {
		return 0, err
	}
	places, err := store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]int64, error) { return tx.PlacesOf(ctx, who.User) })
	if err != nil {
		return 0, err
	}
	_, err = s.settled(ctx, who, places)
	return upto, err
}

// emitUnread emits the unread messages after an event that all messages are read: the caller's clients may already have
// messages that were sent too late to be marked. It first waits until the messages being sent are committed.
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

// readDelivered marks as read what was delivered to a bot up to a message without a subscription: in a stream and a topic, if they
// aren't zero and empty. It emits an event for each portion, and reports whether there was any.
func (s *Service) readDelivered(ctx context.Context, who actor.Actor, in id.Stream, topic string, upto id.Message) (some bool, err error) {
	which := sqlc.ReadDeliveredParams{UserID: who.User, StreamID: int64(in), Topic: topic, Upto: int64(upto), MaxMessages: s.portion()}
	for full := who.IsBot(); full && err == nil; {
		err = s.change(ctx, who, func(tx *store.Tx) error {
			read, err := tx.ReadDelivered(ctx, which)
			full = len(read) == int(which.MaxMessages)
			if err != nil || len(read) == 0 {
				return err
			}
			some = true
			slices.Sort(read)
			return tx.Emit(ctx, event.MarkedRead(read, who.User))
		})
	}
	return some, err
}

// MarkStream marks all messages to the caller in a stream as read (rest-api.md, section
// 2.10). It fails with [stream.ErrInvalidID].
func (s *Service) MarkStream(ctx context.Context, who actor.Actor, in id.Stream) error {
	return s.markIn(ctx, who, in, area{
		check: func(*store.Tx) error { return nil },
		portions: func(tx *store.Tx, upto id.Message) ([]id.Message, error) {
			return tx.PortionsOfStream(ctx, sqlc.PortionsOfStreamParams{StreamID: in, UserID: who.User, Upto: int64(upto), Portion: s.portion()})
		},
		unread: func(tx *store.Tx, upto id.Message) ([]id.Message, error) {
			return tx.UnreadInStream(ctx, who.User, &in, int64(upto))
		},
		read: func(tx *store.Tx, upto id.Message) error { return tx.ReadStream(ctx, int64(upto), who.User, in) },
	})
}

// MarkTopic marks all messages to the caller in a topic as read (rest-api.md, section 2.10). Letter case in the topic's name
// doesn't matter. An empty name stands for the whole stream. It fails with [stream.ErrInvalidID] or [ErrNoTopic].
func (s *Service) MarkTopic(ctx context.Context, who actor.Actor, in id.Stream, topic string) error {
	if topic == "" {
		return s.MarkStream(ctx, who, in)
	}
	named := topic
	topic = spelling.Name(topic)
	return s.markIn(ctx, who, in, area{
		topic: topic,
		check: func(tx *store.Tx) error {
			holds, err := tx.HoldsTopic(ctx, &in, topic, who.User)
			if err == nil && !holds {
				err = ErrNoTopic.Format(named)
			}
			return err
		},
		portions: func(tx *store.Tx, upto id.Message) ([]id.Message, error) {
			return tx.PortionsOfTopic(ctx, sqlc.PortionsOfTopicParams{StreamID: in, Topic: topic, UserID: who.User, Upto: int64(upto), Portion: s.portion()})
		},
		unread: func(tx *store.Tx, upto id.Message) ([]id.Message, error) {
			return tx.UnreadInTopic(ctx, sqlc.UnreadInTopicParams{Topic: topic, StreamID: &in, UserID: who.User, Upto: int64(upto)})
		},
		read: func(tx *store.Tx, upto id.Message) error {
			return tx.ReadTopic(ctx, sqlc.ReadTopicParams{Topic: topic, Upto: int64(upto), UserID: who.User, StreamID: in})
		},
	})
}

// portion is the maximum number of messages that one transaction marks.
func (s *Service) portion() int32 { return int32(s.limits.portion) }

// area is a stream or a topic whose messages are marked as read up to one of them.
type area struct {
	topic    string                                                    // empty: of the whole stream
	check    func(tx *store.Tx) error                                  // fails if the caller may not
	portions func(tx *store.Tx, upto id.Message) ([]id.Message, error) // the last message of each portion but the last one
	unread   func(tx *store.Tx, upto id.Message) ([]id.Message, error) // except for those that are unread again
	read     func(tx *store.Tx, upto id.Message) error                 // writes the mark
}

// markIn marks the messages in an area of a stream as read, in a transaction for each portion, and emits events with these messages
// to the caller's clients, even if no message was unread. If it is interrupted, a repeated request marks the rest.
func (s *Service) markIn(ctx context.Context, who actor.Actor, in id.Stream, a area) error {
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		if _, err := stream.ByID(ctx, tx, who, in); err != nil {
			return err
		}
		return a.check(tx)
	})
	if err != nil {
		return err
	}
	upto, err := s.settled(ctx, who, []int64{int64(in)})
	if err != nil {
		return err
	}
	ends, err := store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]id.Message, error) { return a.portions(tx, upto) })
	if err != nil {
		return err
	}
	emitted, err := s.readDelivered(ctx, who, in, a.topic, upto)
	if err != nil {
		return err
	}
	again, err := store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]id.Message, error) {
		return tx.UnreadAgain(ctx, sqlc.UnreadAgainParams{StreamID: &in, Topic: a.topic, UserID: who.User, Upto: int64(upto)})
	})
	if err != nil {
		return err
	}
	m := marking{area: a, stream: in, upto: upto, emitted: emitted, again: again}
	for _, end := range append(ends, upto) {
		if m, err = s.markPortion(ctx, who, m, end); err != nil {
			return err
		}
	}
	if err := s.readAgain(ctx, who, m.again); err != nil {
		return err
	}
	return s.advanceRest(ctx, who, m.left, upto)
}

// marking is the state of [Service.markIn] between two portions.
type marking struct {
	area

	stream  id.Stream
	upto    id.Message
	emitted bool         // an event
	again   []id.Message // unread again, and not marked yet
	left    []int64      // what advance has left
}

// markPortion marks the messages up to end, and returns the state after it.
func (s *Service) markPortion(ctx context.Context, who actor.Actor, m marking, end id.Message) (after marking, err error) {
	err = s.change(ctx, who, func(tx *store.Tx) error {
		after = m // the transaction may be tried again
		unread, err := m.unread(tx, end)
		if err != nil {
			return err
		}
		last := end == m.upto && len(unread)+len(m.again) <= s.limits.portion // readAgain has nothing to do
		if last {
			unread = append(unread, m.again...)
			slices.Sort(unread)
			unread = slices.Compact(unread)
		}
		if err := m.read(tx, end); err != nil {
			return err
		}
		// This also deletes marks of topics that the stream's mark makes redundant.
		if after.left, err = s.advance(ctx, tx, who.User, []int64{int64(m.stream)}, end); err != nil {
			return err
		}
		if len(unread) == 0 && (m.emitted || !last) {
			return nil
		}
		after.emitted = true
		// Messages above the mark may be unread again as well, such as those that were moved here.
		after.again = slices.DeleteFunc(slices.Clone(m.again), func(again id.Message) bool {
			_, marked := slices.BinarySearch(unread, again)
			return marked
		})
		// Messages that are read now are no longer unread.
		if err := tx.ReadAgain(ctx, who.User, id.Convert[int64](unread)); err != nil {
			return err
		}
		return tx.Emit(ctx, event.MarkedRead(unread, who.User))
	})
	return after, err
}

// readAgain marks messages as read that the caller has marked as unread again, and emits an event for each portion. It comes after the
// other messages are read: while a mark passes some of these, it adds the few that are unread to those that are unread again.
func (s *Service) readAgain(ctx context.Context, who actor.Actor, messages []id.Message) error {
	for portion := range slices.Chunk(messages, s.limits.portion) {
		if err := s.markRead(ctx, who, FlagChange{Messages: portion, Flag: "read", part: true}); err != nil {
			return err
		}
	}
	return nil
}
