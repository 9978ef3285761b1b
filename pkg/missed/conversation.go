package missed

import (
	"context"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// conversation are the missed messages of a topic or a private conversation, ascending and never empty.
type conversation struct {
	messages []sqlc.UnreadRow
	personal bool // whether any message is personal
}

// ids returns the ids of the messages.
func (c conversation) ids() []id.Message {
	all := make([]id.Message, len(c.messages))
	for i, m := range c.messages {
		all[i] = m.MessageID
	}
	return all
}

// place identifies a conversation.
type place struct {
	conversation, stream int64
	topic                string
}

// read returns the given messages about which an account gets mail according to its current settings and marks. They are grouped by
// conversation, in the order of their first messages.
func read(ctx context.Context, tx *store.Tx, of user.User, messages []id.Message) ([]conversation, error) {
	rows, err := tx.Unread(ctx, sqlc.UnreadParams{
		UserID: of.ID, MessageIds: id.Convert[int64](messages), MentionsAll: int16(message.MentionsAll), Mentioned: int16(event.Mentioned),
	})
	found, at := []conversation(nil), map[place]int{}
	for _, row := range rows {
		because := mailed(of.Settings, row)
		if because == notAtAll {
			continue
		}
		in := place{row.ConversationID, row.StreamID, row.TopicKey}
		known, ok := at[in]
		if !ok {
			known = len(found)
			at[in], found = known, append(found, conversation{})
		}
		c := &found[known]
		c.messages = append(c.messages, row)
		c.personal = c.personal || because == personal
	}
	return slices.Clip(found), err
}
