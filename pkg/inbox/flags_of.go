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

// FlagsOf returns the flags of all accounts that have a message or are subscribed to its stream, except
// accounts without flags, for events about edits (events.md, section 3.3). For accounts that didn't receive
// the message, it counts as read. If content isn't nil, the flags are those after the edit, and mentioned are the accounts
// that a message of a stream mentions after it and didn't before, or only with everybody and now personally.
func FlagsOf(
	ctx context.Context, tx *store.Tx, m message.Visible, content *message.Rendered,
) (flags map[id.User]event.Flags, mentioned []id.User, err error) {
	copies, err := copiesOf(ctx, tx, m)
	if err != nil {
		return nil, nil, err
	}
	attributes := m.Attributes
	if content != nil {
		attributes = content.Attributes
	}
	flags = make(map[id.User]event.Flags, len(copies))
	for _, c := range copies {
		before := c.shown(m.Attributes)
		if content != nil {
			c = c.with(*content)
		}
		f := c.shown(attributes)
		if f != 0 {
			flags[c.UserID] = f
		}
		if m.StreamID != 0 && mentions(f) > mentions(before) {
			mentioned = append(mentioned, c.UserID)
		}
	}
	return flags, mentioned, nil
}

// mentions returns how a message mentions an account: 2: personally, 1: with everybody, 0: not at all. Settings may leave only the
// first to notify.
func mentions(f event.Flags) int {
	switch {
	case f&event.Mentioned != 0:
		return 2
	case f&event.WildcardMentioned != 0:
		return 1
	}
	return 0
}

// copied is the state of a message for one account.
type copied struct {
	UserID   id.User
	Flags    int16 // the stored flags
	Received bool  // in its current stream or conversation
	Flagged  bool  // whether there is a row of flags
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

// with returns the state with a new content of the message. An account that it mentions but that doesn't have the message doesn't
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

// shown returns the flags in the form for clients, of a message with these attributes.
func (c copied) shown(attributes message.Attributes) event.Flags {
	f := event.Flags(c.Flags) &^ (event.Read | event.WildcardMentioned | event.Historical | event.Delivered)
	has := c.Received || event.Flags(c.Flags)&event.Delivered != 0
	if c.Flagged && !has {
		f |= event.Historical
	}
	if c.Read {
		f |= event.Read
	}
	if has && attributes&message.MentionsAll != 0 {
		f |= event.WildcardMentioned
	}
	return f
}
