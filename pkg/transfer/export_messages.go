package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// maxFlags is about the maximum number of readers' rows that one query reads.
const maxFlags = 50_000

// messages writes the files with messages, a thousand in each, and their readers' flags.
func (x *export) messages(ctx context.Context) error {
	streams := id.Convert[int64](slices.Sorted(maps.Keys(x.streams)))
	after, files, written := id.Message(0), 0, 0
	rowNumber := int64(0)
	for {
		rows := []sqlc.ArchivedMessagesRow(nil)
		err := x.DB.Read(ctx, x.of, func(tx *store.Tx) (err error) {
			rows, err = tx.ArchivedMessages(ctx, sqlc.ArchivedMessagesParams{
				After: after, Upto: x.upto, PublicOnly: x.PublicOnly, Streams: streams, MaxRows: maxRows,
			})
			return err
		})
		if err != nil || len(rows) == 0 && files > 0 {
			return err
		}
		files++
		if err := x.messageFile(ctx, fmt.Sprintf("messages-%06d.json", files), rows, &rowNumber); err != nil {
			return err
		}
		written += len(rows)
		x.report.count("messages", len(rows))
		if x.Progress != nil {
			x.Progress(written)
		}
		if len(rows) < maxRows {
			return nil
		}
		after = rows[len(rows)-1].MessageID
	}
}

func (x *export) messageFile(ctx context.Context, name string, rows []sqlc.ArchivedMessagesRow, rowNumber *int64) error {
	out, err := archive.NewTables(x.to, name)
	if err != nil {
		return err
	}
	out.Begin(archive.Messages)
	for _, row := range rows {
		m, err := x.message(row)
		if err != nil {
			return err
		}
		if err := out.Add(m); err != nil {
			return err
		}
	}
	out.Begin(archive.UserMessages)
	many := 1 // messages whose readers one query reads
	for len(rows) > 0 {
		some := rows[:min(many, len(rows))]
		rows = rows[len(some):]
		readers, err := x.readers(ctx, some)
		if err != nil {
			return err
		}
		for _, r := range readers {
			*rowNumber++
			r.ID = *rowNumber
			if err := out.Add(r); err != nil {
				return err
			}
		}
		many = max(1, min(maxRows, maxFlags*len(some)/max(1, len(readers))))
	}
	return out.Close()
}

// message returns a message as a row of the archive.
func (x *export) message(row sqlc.ArchivedMessagesRow) (archive.Message, error) {
	m := archive.Message{
		ID: int64(row.MessageID), Sender: int64(row.SenderID), Subject: row.Topic, Content: row.Content, Rendered: row.Rendered, Renderer: int(row.Renderer),
		Sent: archive.Time{Time: row.SentAt}, Client: x.client(row.Client),
		HasFile:  message.Attributes(row.Flags)&message.HasAttachment != 0,
		HasImage: message.Attributes(row.Flags)&message.HasImage != 0,
		HasLink:  message.Attributes(row.Flags)&message.HasLink != 0,
	}
	m.Recipient = recipientFor(row.SenderID, row.StreamID, row.ConversationID, row.Members)
	if row.EditedAt != nil {
		m.Edited = &archive.Time{Time: *row.EditedAt}
	}
	if row.Edits != nil {
		edits, err := message.DecodeEdits(row.Edits)
		if err != nil {
			return m, err
		}
		text, err := json.Marshal(edits)
		if err != nil {
			return m, err
		}
		history := string(text)
		m.EditHistory = &history
	}
	return m, nil
}

// recipientFor returns the recipient of a sender's messages to a stream, or to a conversation with these members.
func recipientFor(sender id.User, stream *id.Stream, conversation *id.Conversation, members []int64) int64 {
	switch {
	case stream != nil:
		return int64(*stream)
	case len(members) > 2:
		return int64(*conversation)
	}
	other := int64(sender) // of a conversation with oneself
	for _, member := range members {
		if member != int64(sender) {
			other = member
		}
	}
	return recipientOf(other)
}

// readers returns the rows of the readers of some messages.
func (x *export) readers(ctx context.Context, messages []sqlc.ArchivedMessagesRow) ([]archive.UserMessage, error) {
	ids, wildcards := make([]int64, len(messages)), map[id.Message]bool{}
	for i, m := range messages {
		ids[i] = int64(m.MessageID)
		wildcards[m.MessageID] = message.Attributes(m.Flags)&message.MentionsAll != 0
	}
	rows := []sqlc.ArchivedFlagsRow(nil)
	err := x.DB.Read(ctx, x.of, func(tx *store.Tx) (err error) {
		rows, err = tx.ArchivedFlags(ctx, ids)
		return err
	})
	slices.SortFunc(rows, func(a, b sqlc.ArchivedFlagsRow) int {
		if a.MessageID != b.MessageID {
			return int(a.MessageID - b.MessageID)
		}
		return int(a.UserID - b.UserID)
	})
	out := make([]archive.UserMessage, len(rows))
	for i, row := range rows {
		flags := event.Flags(row.Flags)
		if row.Read {
			flags |= event.Read
		}
		if !row.Received {
			flags |= event.Historical
		} else if wildcards[row.MessageID] {
			flags |= event.WildcardMentioned
		}
		out[i] = archive.UserMessage{User: int64(row.UserID), Message: int64(row.MessageID), Flags: int64(flags)}
	}
	return out, err
}
