package inbox

import (
	"context"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// FlagsOf returns the flags of everyone who has a message or is subscribed to its stream, except
// accounts without flags: for events about edits (events.md, section 3.3). For those who didn't receive
// the message, it counts as read. If there is a new content, the flags are those after the edit.
func FlagsOf(ctx context.Context, tx *store.Tx, m message.Visible, content *message.Rendered) (map[id.User]event.Flags, error) {
	copies, err := copiesOf(ctx, tx, m)
	if err != nil {
		return nil, err
	}
	attributes := m.Attributes
	if content != nil {
		attributes = content.Attributes
	}
	flags := make(map[id.User]event.Flags, len(copies))
	for _, c := range copies {
		if content != nil {
			c = c.with(*content)
		}
		if f := c.shown(attributes); f != 0 {
			flags[c.UserID] = f
		}
	}
	return flags, nil
}

// copied is somebody's copy of a message.
type copied struct {
	UserID   id.User
	Flags    int16 // those that the database keeps
	Received bool  // where it is now
	Flagged  bool  // has a row of flags
	Read     bool
}

func copiesOf(ctx context.Context, tx *store.Tx, m message.Visible) ([]copied, error) {
	if m.Conversation != 0 {
		rows, err := tx.FlagsOfPrivateMessage(ctx, m.ID)
		return lists.Map(rows, func(row sqlc.FlagsOfPrivateMessageRow) copied { return copied(row) }), err
	}
	rows, err := tx.FlagsOfStreamMessage(ctx, m.ID)
	return lists.Map(rows, func(row sqlc.FlagsOfStreamMessageRow) copied { return copied(row) }), err
}

// with is the copy of the message with a new content. Who is mentioned in it and doesn't have the message, doesn't
// get it.
func (c copied) with(content message.Rendered) copied {
	for _, concerned := range []struct {
		flag  event.Flags
		users []id.User // ascending
	}{{event.Mentioned, content.MentionedUsers}, {event.HasAlertWord, content.Alerted}} {
		flag := int16(concerned.flag) // flags have 11 bits
		c.Flags &^= flag
		if _, ok := slices.BinarySearch(concerned.users, c.UserID); ok && (c.Received || c.Flagged) {
			c.Flags |= flag
		}
	}
	return c
}

// shown are the flags as clients have them, of a message with these attributes.
func (c copied) shown(attributes message.Attributes) event.Flags {
	f := event.Flags(c.Flags) &^ (event.Read | event.WildcardMentioned | event.Historical)
	if c.Flagged && !c.Received {
		f |= event.Historical
	}
	if c.Read {
		f |= event.Read
	}
	if c.Received && attributes&message.MentionsAll != 0 {
		f |= event.WildcardMentioned
	}
	return f
}
