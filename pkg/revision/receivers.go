package revision

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// setFlags sets the flags of a message's new content for the accounts that have the message. An account that the new
// content mentions doesn't get the message if it hasn't received it (events.md, section 4.5).
func setFlags(ctx context.Context, tx *store.Tx, m message.Visible, body message.Rendered) error {
	for _, concerned := range []struct {
		flag  event.Flags
		users []id.User
	}{{event.Mentioned, body.MentionedUsers}, {event.HasAlertWord, body.Alerted}} {
		flag, users := int16(concerned.flag), id.Convert[int64](concerned.users) // flags have 11 bits
		if err := tx.ClearFlag(ctx, flag, m.ID, users); err != nil {
			return err
		}
		if len(users) == 0 {
			continue
		}
		err := tx.SetFlag(ctx, sqlc.SetFlagParams{
			MessageID: m.ID, Flag: flag, UserIds: users, StreamID: int64(m.StreamID), ConversationID: int64(m.Conversation),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// receivers returns the accounts that have a message, with their flags on it, and those of them to be notified of an edit. content is
// the new content, or nil.
func receivers(ctx context.Context, tx *store.Tx, m message.Visible, content *message.Rendered) (event.Audience, error) {
	audience, err := message.Audience(ctx, tx, m)
	if err != nil {
		return event.Audience{}, err
	}
	audience.FlagsOf, audience.Notify, err = inbox.FlagsOf(ctx, tx, m, content)
	return audience, err
}
