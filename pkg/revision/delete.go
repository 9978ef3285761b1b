package revision

import (
	"context"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// Delete deletes a message. It fails with message.ErrInvalid, permit.ErrDelete or permit.ErrDeleteLate (rest-api.md,
// section 2.8).
func (s *Service) Delete(ctx context.Context, who actor.Actor, of id.Message) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		m, err := message.Load(ctx, tx, who, of)
		if err != nil {
			return err
		}
		err = permit.DeleteMessage(who.Role, permit.MessageDeletion{
			Own: m.Sender == who.User, Age: s.now().Sub(m.Sent), Allowed: o.Settings.AllowMessageDeleting,
			Limit: time.Duration(o.Settings.MessageContentDeleteLimitSeconds) * time.Second,
		})
		if err != nil {
			return err
		}
		m, gone, err := message.LockForEdit(ctx, tx, who, m, true)
		if err != nil {
			return err
		}
		if gone {
			return message.ErrInvalid
		}
		return remove(ctx, tx, who, m)
	})
}

// remove deletes a message and notifies the accounts that have it, including former subscribers (events.md, section
// 7, row 17).
func remove(ctx context.Context, tx *store.Tx, who actor.Actor, m message.Visible) error {
	audience, err := message.Audience(ctx, tx, m)
	if err != nil {
		return err
	}
	gone := event.MessagesDeleted{MessageIDs: []id.Message{m.ID}, MessageType: "private", RecipientID: m.Conversation, Receivers: audience}
	if m.StreamID != 0 {
		gone = deletedFrom(m.StreamID, m.Topic, gone.MessageIDs, audience)
	}
	return archive(ctx, tx, who.User, gone)
}

// deletedFrom returns the event of the deletion of messages of a topic.
func deletedFrom(in id.Stream, topic string, gone []id.Message, to event.Audience) event.MessagesDeleted {
	return event.MessagesDeleted{MessageIDs: gone, MessageType: "stream", StreamID: in, Topic: &topic, Receivers: to}
}

// archive deletes the messages of an event, and emits the event.
func archive(ctx context.Context, tx *store.Tx, by id.User, gone event.MessagesDeleted) error {
	events, err := store.EncodeEvents(gone.Forms()...)
	if err != nil {
		return err
	}
	if err := destroy(ctx, tx, by, gone.StreamID, gone.MessageIDs); err != nil {
		return err
	}
	return tx.EmitEncoded(ctx, events)
}

// fitting returns the first messages, at least one, that one transaction can delete with their flags. Files in
// messages count like flags.
func fitting(ctx context.Context, tx *store.Tx, messages []id.Message) ([]id.Message, error) {
	rows, err := tx.RowsOfMessages(ctx, id.Convert[int64](messages))
	sum := int64(0)
	for i, n := range rows {
		if sum += n; sum > maxRows && i > 0 {
			return messages[:i], err
		}
	}
	return messages, err
}

// destroy deletes messages of one stream, or of a conversation, with everything that belongs to them. Their
// reactions, which are no longer visible, may be deleted in separate transactions by a runner of [Service.Kinds].
func destroy(ctx context.Context, tx *store.Tx, by id.User, in id.Stream, messages []id.Message) error {
	gone := forgetting{id.Convert[int64](messages)}
	if err := tx.LockMessages(ctx, gone.Messages); err != nil {
		return err
	}
	forgotten, err := tx.DeleteMessages(ctx, gone.Messages, minForgotten, int64(by))
	if err == nil && forgotten == minForgotten {
		_, err = forgettings().Begin(ctx, tx, gone)
	}
	if err == nil && in != 0 {
		err = tx.AdvanceFirstMessage(ctx, in, gone.Messages)
	}
	return err
}

// DeleteTopic deletes the messages of a stream's topic, ignoring letter case, that who has access to: all of them or,
// if the history isn't public, those that who has received. Many messages take several transactions. DeleteTopic
// doesn't fail if there are none. It fails with stream.ErrInvalidID. The caller checks that who is an administrator.
func (s *Service) DeleteTopic(ctx context.Context, who actor.Actor, in id.Stream, topic string) error {
	left := int64(0)
	err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		left = 0
		if _, err := stream.ByID(ctx, tx, who, in); err != nil {
			return err
		}
		newest, err := tx.NewestMessageID(ctx)
		if err != nil {
			return err
		}
		change := deleting{Reader: who.User, Stream: in, Topic: spelling.Name(topic), Upto: id.Message(newest)}
		done, err := deleteMore(ctx, tx, &change, steps.NewPace(minDeleted, minDeleted, s.now))
		if err != nil || done {
			return err
		}
		left, err = s.deletions.Begin(ctx, tx, change)
		return err
	})
	if err != nil {
		return err
	}
	return s.deletions.Await(ctx, s.db, who.Org(), left, s.now)
}
