package revision

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// mention makes a message's flags those of its new content, for those who have the message; who is
// mentioned newly and doesn't have it, doesn't get it (events.md, section 4.5).
func mention(ctx context.Context, tx *store.Tx, m *message.Seen, body message.Rendered) error {
	m.Marks = body.Marks | m.Marks&message.ReadBySender
	users := numbers(body.MentionedUsers)
	if err := tx.ClearMentions(ctx, int16(event.Mentioned), m.ID, users); err != nil {
		return fmt.Errorf("clear mentions in message %d: %w", m.ID, err)
	}
	if len(users) == 0 {
		return nil
	}
	err := tx.SetMentions(ctx, sqlc.SetMentionsParams{
		MessageID: m.ID, Mentioned: int16(event.Mentioned), UserIds: users,
		StreamID: int64(m.StreamID), ConversationID: int64(m.Conversation),
	})
	if err != nil {
		return fmt.Errorf("set mentions in message %d: %w", m.ID, err)
	}
	return nil
}

// receivers are those who have a message before them, with their flags on it.
func receivers(ctx context.Context, tx *store.Tx, m message.Seen) (event.Audience, error) {
	audience, err := message.Audience(ctx, tx, m)
	if err != nil {
		return event.Audience{}, err
	}
	audience.FlagsOf, err = flagsOf(ctx, tx, m)
	return audience, err
}

// flagsOf gives the flags that everyone who has a message before them has on it; those without any are
// left out.
func flagsOf(ctx context.Context, tx *store.Tx, m message.Seen) (map[id.User]event.Flags, error) {
	rows, err := tx.ReaderFlags(ctx, sqlc.ReaderFlagsParams{
		MessageID: int64(m.ID), SenderID: int64(m.Sender), MessageFlags: int16(m.Marks), StreamID: int64(m.StreamID), Topic: m.Topic,
		ConversationID: int64(m.Conversation), HistoryPublic: m.HistoryPublic,
	})
	if err != nil {
		return nil, fmt.Errorf("read flags of message %d: %w", m.ID, err)
	}
	flags := make(map[id.User]event.Flags, len(rows))
	for _, row := range rows {
		f := event.Flags(row.Flags) //nolint:gosec // flags are positive
		if row.Read {
			f |= event.Read
		}
		if row.Received && m.Marks&message.MentionsAll != 0 {
			f |= event.WildcardMentioned
		}
		if f != 0 {
			flags[row.UserID] = f
		}
	}
	return flags, nil
}
