package message

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// maxListed is the maximum number of messages that [Service.Scheduled] returns.
const maxListed = 100

// ErrNoScheduled says that the caller has no scheduled message with the id.
var ErrNoScheduled = fault.Bad("Invalid scheduled message ID.")

// Scheduled is a message that waits to be sent.
type Scheduled struct {
	// ID of the scheduled message. The message gets a different ID when it is sent.
	ID int64 `json:"scheduled_message_id"`
	// Whether it goes to a stream (stream) or to people (private).
	Type string `json:"type"`
	// ID of the stream; absent for a private message.
	StreamID *id.Stream `json:"stream_id,omitempty"`
	// Topic of a stream message; absent for a private one.
	Topic *string `json:"topic,omitempty"`
	// IDs of the participants of a private message, including the sender; absent for a stream message.
	UserIDs []id.User `json:"user_ids,omitempty"`
	// Content, in Markdown.
	Content string `json:"content"`
	// When it is sent, in seconds since 1970.
	DeliverAt int64 `json:"deliver_at"`
	// Whether the notification bot sends it.
	Reminder bool `json:"reminder"`
}

// Scheduled returns up to [maxListed] scheduled messages of the caller with ids after the given one, in the order of
// scheduling. It fails with the error of reserve, see [store.DB.ReadLarge].
func (s *Service) Scheduled(ctx context.Context, who actor.Actor, after int64, reserve store.Reserve) (list []Scheduled, err error) {
	size := func(tx *store.Tx) (int64, error) { return tx.SizeOfScheduled(ctx, who.User, after, maxListed) }
	err = s.DB.ReadLarge(ctx, who.Org(), reserve, size, func(tx *store.Tx) error {
		rows, err := tx.ScheduledOf(ctx, who.User, after, maxListed)
		list = lists.Map(rows, scheduled)
		return err
	})
	return list, err
}

func scheduled(row sqlc.ScheduledOfRow) Scheduled {
	m := row.ScheduledMessage
	s := Scheduled{ID: m.ScheduledID, Type: "private", Content: m.Content, DeliverAt: m.DeliverAt.Unix(), Reminder: m.Reminder}
	if m.StreamID != nil {
		s.Type, s.StreamID, s.Topic = "stream", m.StreamID, &m.Topic
	} else {
		s.UserIDs = id.Convert[id.User](row.Members)
	}
	return s
}

// Cancel cancels a message that the caller has scheduled. It fails with [ErrNoScheduled], also if the message was sent just now.
func (s *Service) Cancel(ctx context.Context, who actor.Actor, scheduled int64) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockScheduled(ctx); err != nil {
			return err
		}
		rows, err := tx.CancelScheduled(ctx, scheduled, who.User)
		if err == nil && rows == 0 {
			err = ErrNoScheduled
		}
		return err
	})
}
