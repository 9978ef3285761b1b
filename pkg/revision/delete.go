package revision

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// ErrAlreadyDeleted says that somebody else was faster.
var ErrAlreadyDeleted = fault.Bad("Message already deleted")

// Delete deletes a message. It fails with message.ErrInvalid, permit.ErrDelete, permit.ErrDeleteLate or
// [ErrAlreadyDeleted] (rest-api.md, section 2.8).
func (s *Service) Delete(ctx context.Context, who actor.Actor, of id.Message) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		m, err := message.See(ctx, tx, who, of)
		if err != nil {
			return err
		}
		if err := s.mayDelete(who, o, m); err != nil {
			return err
		}
		m, gone, err := message.Lock(ctx, tx, who, m, true)
		if err != nil {
			return err
		}
		if gone {
			return ErrAlreadyDeleted
		}
		return remove(ctx, tx, who, m)
	})
}

func (s *Service) mayDelete(who actor.Actor, o org.Org, m message.Seen) error {
	return permit.DeleteMessage(who.Role, permit.MessageDeletion{
		Own: m.Sender == who.User, Age: s.now().Sub(m.Sent), Allowed: o.Settings.AllowMessageDeleting,
		Limit: time.Duration(o.Settings.MessageContentDeleteLimitSeconds) * time.Second,
	})
}

// remove deletes a message and tells those who had it before them, former subscribers too (events.md,
// section 7, row 17).
func remove(ctx context.Context, tx *store.Tx, who actor.Actor, m message.Seen) error {
	audience, err := message.Audience(ctx, tx, m)
	if err != nil {
		return err
	}
	if m.StreamID != 0 {
		return removeFrom(ctx, tx, who, deletedFrom(m, []id.Message{m.ID}, audience))
	}
	return archive(ctx, tx, who, event.MessagesDeleted{
		MessageIDs: []id.Message{m.ID}, MessageType: "private", RecipientID: m.Conversation, Receivers: audience,
	})
}

// removeFrom deletes messages of a stream.
func removeFrom(ctx context.Context, tx *store.Tx, who actor.Actor, gone event.MessagesDeleted) error {
	if err := archive(ctx, tx, who, gone); err != nil {
		return err
	}
	if err := tx.SetFirstMessages(ctx, []int64{int64(gone.StreamID)}); err != nil {
		return fmt.Errorf("find first message of stream %d: %w", gone.StreamID, err)
	}
	return nil
}

func archive(ctx context.Context, tx *store.Tx, who actor.Actor, gone event.MessagesDeleted) error {
	if err := tx.DeleteMessages(ctx, int64(who.User), numbers(gone.MessageIDs)); err != nil {
		return fmt.Errorf("delete messages: %w", err)
	}
	return tx.EmitAll(ctx, gone.Forms())
}

// DeleteTopic deletes the messages of a stream's topic, whatever its case, that who may see: all of
// them, or what was received where the history isn't public. No such message is no failure. It fails
// with stream.ErrInvalidID; that who is an administrator is the caller's to check.
func (s *Service) DeleteTopic(ctx context.Context, who actor.Actor, in id.Stream, topic string) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if _, err := stream.ByID(ctx, tx, who, in); err != nil {
			return err
		}
		if err := tx.LockPlace(ctx, int64(in)); err != nil {
			return fmt.Errorf("lock stream %d: %w", in, err)
		}
		seen, err := stream.ByID(ctx, tx, who, in)
		if err != nil {
			return err
		}
		rows, err := tx.MessagesOfTopic(ctx, sqlc.MessagesOfTopicParams{
			StreamID: &in, Topic: topic, Every: seen.HistoryPublic, Reader: int64(who.User),
		})
		if err != nil {
			return fmt.Errorf("read topic: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		gone := make([]id.Message, len(rows))
		for i, row := range rows {
			gone[i], topic = row.MessageID, row.Topic // as it was spelled last
		}
		holders, err := tx.HoldersOfAny(ctx, in, !seen.HistoryPublic, numbers(gone))
		if err != nil {
			return fmt.Errorf("read holders of messages: %w", err)
		}
		audience := event.Audience{Users: holders}
		if seen.HistoryPublic {
			audience.Subscribers = in
		}
		return removeFrom(ctx, tx, who, event.MessagesDeleted{
			MessageIDs: gone, MessageType: "stream", StreamID: in, Topic: &topic, Receivers: audience,
		})
	})
}
