package inbox

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// FlagsOf gives the flags of everyone who has a message or is subscribed to its stream, those without
// any left out: for events about edits (events.md, section 3.3). It is read for those who didn't receive
// it.
func FlagsOf(ctx context.Context, tx *store.Tx, m message.Seen) (map[id.User]event.Flags, error) {
	const all = int16(message.MentionsAll)
	if m.Conversation != 0 {
		rows, err := tx.FlagsOfPrivateMessage(ctx, all, m.ID)
		if err != nil {
			return nil, fmt.Errorf("read flags of message %d: %w", m.ID, err)
		}
		return flagsOf(rows, func(r sqlc.FlagsOfPrivateMessageRow) copied { return copied(r) }), nil
	}
	rows, err := tx.FlagsOfStreamMessage(ctx, all, m.ID)
	if err != nil {
		return nil, fmt.Errorf("read flags of message %d: %w", m.ID, err)
	}
	return flagsOf(rows, func(r sqlc.FlagsOfStreamMessageRow) copied { return copied(r) }), nil
}

// copied is somebody's copy of a message.
type copied struct {
	UserID            id.User
	Flags             int16 // those that the database keeps
	Historical        bool  // marked, but not received, or not where it is now
	WildcardMentioned bool
	Read              bool
}

func flagsOf[Row any](rows []Row, copyOf func(Row) copied) map[id.User]event.Flags {
	flags := make(map[id.User]event.Flags, len(rows))
	for _, row := range rows {
		c := copyOf(row)
		f := event.Flags(c.Flags) &^ (event.Read | event.WildcardMentioned | event.Historical) //nolint:gosec // flags are positive
		if c.Historical {
			f |= event.Historical
		}
		if c.Read {
			f |= event.Read
		}
		if c.WildcardMentioned {
			f |= event.WildcardMentioned
		}
		if f != 0 {
			flags[c.UserID] = f
		}
	}
	return flags
}
