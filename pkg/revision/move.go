package revision

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// move moves messages to another topic or stream and emits its events, as many as fit into the transaction; e is the
// event as far as it is known. left is what [Service.moves] still has to do, or 0.
func (s *Service) move(ctx context.Context, tx *store.Tx, r revision, e event.MessageUpdated) (left int64, err error) {
	moved, upto, err := along(ctx, tx, r)
	if err != nil {
		return 0, err
	}
	if err := relocate(ctx, tx, r, e, moved); err != nil {
		return 0, err
	}
	if r.change.Stream != nil {
		if err := s.announce(ctx, tx, r); err != nil {
			return 0, err
		}
	}
	if len(moved) < atOnce {
		return 0, nil
	}
	return s.moves.Begin(ctx, tx, r.rest(moved, upto))
}

// relocate moves messages, of which e names the first, and emits the event.
func relocate(ctx context.Context, tx *store.Tx, r revision, e event.MessageUpdated, moved []id.Message) (err error) {
	e.MessageIDs = moved
	e.MessagesMoved = &event.MessagesMoved{StreamID: r.m.StreamID, OrigSubject: r.m.Topic, PropagateMode: string(r.change.Mode)}
	if topic := r.change.Topic; topic != nil {
		e.Subject, e.TopicLinks = topic, append([]string{}, markdown.TopicLinks(*topic, nil)...)
	}
	if r.change.Stream == nil {
		if err := put(ctx, tx, r, r.m.StreamID, moved); err != nil {
			return err
		}
		return tx.Emit(ctx, e)
	}
	e.NewStreamID = r.to.StreamID
	if e.Receivers.Except, err = leaveBehind(ctx, tx, r, moved); err != nil {
		return err
	}
	if err := put(ctx, tx, r, r.to.StreamID, moved); err != nil {
		return err
	}
	if err := tx.SetFirstMessages(ctx, []int64{int64(r.m.StreamID), int64(r.to.StreamID)}); err != nil {
		return fmt.Errorf("find first messages: %w", err)
	}
	return tx.Emit(ctx, e)
}

// along returns the first of the messages that are moved, the one that was named before all others, and up to which
// message there are more.
func along(ctx context.Context, tx *store.Tx, r revision) (moved []id.Message, upto id.Message, err error) {
	moved = []id.Message{r.m.ID}
	if r.change.Mode == One {
		return moved, 0, nil
	}
	newest, err := tx.NewestMessageID(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("read the newest message's id: %w", err)
	}
	since := id.Message(0)
	if r.change.Mode == Later {
		since = r.m.ID
	}
	topic, err := tx.MessagesOfTopic(ctx, sqlc.MessagesOfTopicParams{
		StreamID: &r.m.StreamID, Topic: r.m.Topic, Since: since, Upto: newest, Every: true, Most: atOnce,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read topic of message %d: %w", r.m.ID, err)
	}
	for _, other := range topic {
		if other.MessageID != r.m.ID {
			moved = append(moved, other.MessageID)
		}
	}
	return moved, id.Message(newest), nil
}

// put writes where the messages are from now on; what was read of them stays read.
func put(ctx context.Context, tx *store.Tx, r revision, to id.Stream, moved []id.Message) error {
	if err := tx.MoveMessages(ctx, &to, r.change.Topic, numbers(moved)); err != nil {
		return fmt.Errorf("move messages: %w", err)
	}
	topic := r.m.Topic
	if r.change.Topic != nil {
		topic = *r.change.Topic
	}
	return inbox.MoveMarks(ctx, tx, inbox.Moved{
		FromStream: r.m.StreamID, FromTopic: r.m.Topic, ToStream: to, ToTopic: topic, Messages: moved,
	})
}

// leaveBehind takes messages that are moved to another stream from those who aren't subscribed to it,
// and gives them. Guests, who can't look there, are told that the messages are gone.
func leaveBehind(ctx context.Context, tx *store.Tx, r revision, moved []id.Message) ([]id.User, error) {
	rows, err := tx.LeftBehind(ctx, sqlc.LeftBehindParams{
		Guest: int16(actor.Guest), StreamID: r.m.StreamID, MessageID: int64(r.m.ID), NewStreamID: int64(r.to.StreamID),
	})
	if err != nil {
		return nil, fmt.Errorf("read who isn't subscribed to stream %d: %w", r.to.StreamID, err)
	}
	users, guests := make([]id.User, len(rows)), []id.User(nil)
	for i, row := range rows {
		users[i] = row.UserID
		if row.Guest {
			guests = append(guests, row.UserID)
		}
	}
	if len(users) > 0 {
		if err := tx.DropFlags(ctx, numbers(moved), numbers(users)); err != nil {
			return nil, fmt.Errorf("drop flags of moved messages: %w", err)
		}
	}
	if len(guests) == 0 || r.to.IsWebPublic {
		return users, nil
	}
	return users, tx.EmitAll(ctx, deletedFrom(r.m, moved, event.Audience{Users: guests}).Forms())
}

// deletedFrom tells that messages of a topic are gone.
func deletedFrom(m message.Seen, gone []id.Message, to event.Audience) event.MessagesDeleted {
	return event.MessagesDeleted{MessageIDs: gone, MessageType: "stream", StreamID: m.StreamID, Topic: &m.Topic, Receivers: to}
}

// announce has the notification bot say in both topics that messages were moved to another stream.
func (s *Service) announce(ctx context.Context, tx *store.Tx, r revision) error {
	topic := r.m.Topic
	if r.change.Topic != nil {
		topic = *r.change.Topic
	}
	what := map[Mode]string{One: "a message", Later: "messages", All: "this topic"}[r.change.Mode]
	mover := fmt.Sprintf("@_**%s|%d**", r.who.FullName, r.who.User)
	if r.change.TellNew {
		text := fmt.Sprintf("%s moved %s here from #**%s>%s**.", mover, what, r.m.StreamName, r.m.Topic)
		if err := s.messages.ToStream(ctx, tx, r.to.StreamID, topic, text); err != nil {
			return fmt.Errorf("announce in the new topic: %w", err)
		}
	}
	if r.change.TellOld {
		text := fmt.Sprintf("%s moved %s to #**%s>%s**.", mover, what, r.to.Name, topic)
		if err := s.messages.ToStream(ctx, tx, r.m.StreamID, r.m.Topic, text); err != nil {
			return fmt.Errorf("announce in the old topic: %w", err)
		}
	}
	return nil
}
