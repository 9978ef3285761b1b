package transfer

import (
	"context"
	"strconv"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
)

type reactionColumns struct {
	MessageID    int64   `json:"message_id"`
	UserID       id.User `json:"user_id"`
	ReactionType string  `json:"reaction_type"`
	EmojiCode    string  `json:"emoji_code"`
	EmojiName    string  `json:"emoji_name"`
}

type submessageColumns struct {
	MessageID    int64   `json:"message_id"`
	SubmessageID int64   `json:"submessage_id"`
	SenderID     id.User `json:"sender_id"`
	MsgType      string  `json:"msg_type"`
	Content      string  `json:"content"`
}

// maxSubmessage is the maximum size of a submessage in bytes (package submessage).
const maxSubmessage = 1 << 20

// onMessages imports the reactions and submessages of messages.
func (m *importing) onMessages(ctx context.Context) error {
	reactions := newTable[reactionColumns](m, "reactions")
	submessages, err := newObjects[submessageColumns](ctx, m, kind{"submessage", "submessages", "submessage_ids"}, map[int64]int64{})
	if err != nil {
		return err
	}
	marked := []int64(nil)
	mark := func() error {
		err := m.write(ctx, func(tx *store.Tx) error { return tx.MarkWithSubmessages(ctx, int16(message.HasSubmessages), marked) })
		marked = marked[:0]
		return err
	}
	err = m.tables(ctx, map[string]archive.Row{
		archive.Reactions: archive.Rows(func(row archive.Reaction) error {
			r, ok := m.reaction(row)
			if !ok {
				m.report.leave("reactions of unknown accounts, to unknown messages or with unknown emoji", row.Name)
				return nil
			}
			m.report.count("reactions", 1)
			return reactions.add(ctx, r)
		}),
		archive.Submessages: archive.Rows(func(row archive.Submessage) error {
			who := m.users[row.Sender]
			at, ok := m.readers.find(row.Message)
			if who == 0 || !ok || row.Type == "" || len(row.Type)+len(row.Content) > maxSubmessage || strings.ContainsRune(row.Type+row.Content, 0) {
				m.report.leave("submessages of unknown accounts or messages, or too large ones", strconv.FormatInt(row.ID, 10))
				return nil
			}
			m.report.count("submessages", 1)
			number, done, err := submessages.id(ctx, row.ID)
			if err != nil || done {
				return err
			}
			if marked = append(marked, m.readers.ids[at]); len(marked) == rowsAtOnce {
				if err := mark(); err != nil {
					return err
				}
			}
			return submessages.add(ctx, row.ID, submessageColumns{m.readers.ids[at], number, who, row.Type, row.Content})
		}),
	})
	if err != nil {
		return err
	}
	if err := mark(); err != nil {
		return err
	}
	if err := reactions.flush(ctx); err != nil {
		return err
	}
	return submessages.flush(ctx)
}

// reaction returns a reaction as it is stored; ok is false if it can't be stored.
func (m *importing) reaction(row archive.Reaction) (r reactionColumns, ok bool) {
	at, found := m.readers.find(row.Message)
	who := m.users[row.User]
	if !found || who == 0 || row.Name == "" || len(row.Name) > 100 || strings.ContainsRune(row.Name, 0) {
		return r, false
	}
	r = reactionColumns{m.readers.ids[at], who, row.Type, row.Code, row.Name}
	switch row.Type {
	case "unicode_emoji":
		ok = len(row.Code) <= 100 && row.Code != "" && strings.Trim(row.Code, "0123456789abcdef-") == ""
	case "realm_emoji":
		source, err := strconv.ParseInt(row.Code, 10, 64)
		r.EmojiCode = strconv.FormatInt(m.emoji[source], 10)
		ok = err == nil && m.emoji[source] != 0
	case "zulip_extra_emoji":
		ok = row.Code == "zulip"
	}
	return r, ok
}
