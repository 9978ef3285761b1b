package inbox

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
)

// FlagsOf gives the flags of everyone who has a message or is subscribed to its stream, but for
// wildcard_mentioned, which is the message's own: for events about edits (events.md, section 3.3). It
// is read for those who didn't receive it.
func FlagsOf(ctx context.Context, tx *store.Tx, m message.Seen) (map[id.User]event.Flags, error) {
	if m.Conversation != 0 {
		rows, err := tx.FlagsOfPrivateMessage(ctx, m.ID)
		if err != nil {
			return nil, fmt.Errorf("read flags of message %d: %w", m.ID, err)
		}
		flags := make(map[id.User]event.Flags, len(rows))
		for _, row := range rows {
			flags[row.UserID] = personal(row.Flags, row.Read)
		}
		return flags, nil
	}
	rows, err := tx.FlagsOfStreamMessage(ctx, m.ID)
	if err != nil {
		return nil, fmt.Errorf("read flags of message %d: %w", m.ID, err)
	}
	flags := make(map[id.User]event.Flags, len(rows))
	for _, row := range rows {
		flags[row.UserID] = personal(row.Flags, row.Read)
	}
	return flags, nil
}

func personal(kept int16, read bool) event.Flags {
	flags := event.Flags(kept) &^ (event.Read | event.WildcardMentioned) //nolint:gosec // flags are positive
	if read {
		flags |= event.Read
	}
	return flags
}
