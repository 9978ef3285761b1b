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

// maxReaders is the maximum number of readers' rows that one query reads, unless a single message has more.
const maxReaders = 50_000

// messages writes the files with messages and their readers' flags. Each file has as many messages as one query reads: a
// thousand, or fewer if they are large.
func (x *export) messages(ctx context.Context) error {
	o, err := x.load(ctx)
	if err != nil {
		return err
	}
	x.history = !x.PublicOnly || o.Settings.AllowEditHistory
	streams := id.Convert[int64](slices.Sorted(maps.Keys(x.streams)))
	after, files, written, wanted := id.Message(0), 0, 0, maxRows
	for {
		rows := []sqlc.ArchivedMessagesRow(nil)
		err := x.DB.Read(ctx, x.of, func(tx *store.Tx) (err error) {
			rows, err = tx.ArchivedMessages(ctx, sqlc.ArchivedMessagesParams{
				After: after, Upto: x.upto, PublicOnly: x.PublicOnly, Streams: streams, MaxRows: int32(wanted), MaxBytes: maxBytes,
			})
			return err
		})
		if err != nil || len(rows) == 0 && files > 0 {
			return err
		}
		files++
		if err := x.messageFile(ctx, fmt.Sprintf("messages-%06d.json", files), rows); err != nil {
			return err
		}
		written += len(rows)
		x.report.count("messages", len(rows))
		if x.Progress != nil {
			x.Progress(written)
		}
		if len(rows) == 0 {
			return nil
		}
		after = rows[len(rows)-1].MessageID
		wanted = min(maxRows, 2*len(rows)) // the query measures all messages that are wanted, even if few fit
	}
}

func (x *export) messageFile(ctx context.Context, name string, rows []sqlc.ArchivedMessagesRow) error {
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
	if !x.PublicOnly {
		if err := x.readers(ctx, out, rows); err != nil {
			return err
		}
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
	if row.Edits != nil && x.history {
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
	other := sender // of a conversation with oneself
	for _, member := range members {
		if id.User(member) != sender {
			other = id.User(member)
		}
	}
	return recipientOf(other)
}

// readers writes the rows of the readers of messages.
func (x *export) readers(ctx context.Context, out *archive.Tables, messages []sqlc.ArchivedMessagesRow) error {
	subscriptions := map[id.Stream]int64{}
	err := x.DB.Read(ctx, x.of, func(tx *store.Tx) error {
		streams := []int64(nil)
		for _, m := range messages {
			if m.StreamID != nil {
				streams = append(streams, int64(*m.StreamID))
			}
		}
		counts, err := tx.CountSubscriptions(ctx, streams)
		for _, c := range counts {
			subscriptions[c.StreamID] = c.Subscriptions
		}
		return err
	})
	if err != nil {
		return err
	}
	for begin, end := 0, 0; begin < len(messages); begin = end {
		for readers := int64(0); end < len(messages); end++ {
			if m := messages[end]; m.StreamID != nil {
				readers += subscriptions[*m.StreamID]
			} else {
				readers += int64(len(m.Members))
			}
			if readers > maxReaders && end > begin {
				break
			}
		}
		if err := x.readersOf(ctx, out, messages[begin:end]); err != nil {
			return err
		}
	}
	return nil
}

// readersOf writes the rows of the readers of messages that one query can read.
func (x *export) readersOf(ctx context.Context, out *archive.Tables, messages []sqlc.ArchivedMessagesRow) error {
	ids, wildcards := make([]int64, len(messages)), map[id.Message]bool{}
	for i, m := range messages {
		ids[i] = int64(m.MessageID)
		wildcards[m.MessageID] = message.Attributes(m.Flags)&message.MentionsAll != 0
	}
	rows, err := store.Read(ctx, x.DB, x.of, func(tx *store.Tx) ([]sqlc.ArchivedFlagsRow, error) {
		return tx.ArchivedFlags(ctx, ids)
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		flags := event.Flags(row.Flags) &^ (event.Read | event.Delivered)
		if row.Read {
			flags |= event.Read
		}
		if !row.Received && event.Flags(row.Flags)&event.Delivered == 0 {
			flags |= event.Historical
		} else if wildcards[row.MessageID] {
			flags |= event.WildcardMentioned
		}
		x.flags++
		err := out.Add(archive.UserMessage{ID: x.flags, User: int64(row.UserID), Message: int64(row.MessageID), Flags: int64(flags)})
		if err != nil {
			return err
		}
	}
	return nil
}
