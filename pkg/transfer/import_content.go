package transfer

import (
	"context"
	"encoding/json"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// maxContent is the maximum length of a message in bytes. Longer ones are truncated. Messages sent here have at most
// message.MaxContent.
const maxContent = 1 << 20

// messageColumns is a row of messages.
type messageColumns struct {
	MessageID      int64            `json:"message_id"`
	SenderID       id.User          `json:"sender_id"`
	StreamID       *id.Stream       `json:"stream_id"`
	ConversationID *id.Conversation `json:"conversation_id"`
	Topic          string           `json:"topic"`
	Content        string           `json:"content"`
	Rendered       string           `json:"rendered"`
	Renderer       int              `json:"renderer"`
	Client         string           `json:"client"`
	Flags          int16            `json:"flags"`
	SentAt         time.Time        `json:"sent_at"`
	Edits          json.RawMessage  `json:"edits"`
	EditedAt       *time.Time       `json:"edited_at"`
}

// content converts messages to rows. It is safe for concurrent use.
type content struct {
	*importing

	files map[string]upload // by path
}

func (m *importing) newContent(ctx context.Context) (*content, error) {
	c := &content{importing: m, files: map[string]upload{}}
	for _, u := range m.uploads {
		if u.id != 0 {
			c.files[path.Dir(u.path)] = u // without the name
		}
	}
	err := m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		o, err := m.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		who, err := user.ByID(ctx, tx, m.bot)
		if err != nil {
			return err
		}
		m.mentions.Org = o.ID
		m.mentions.Linkifiers, err = m.Linkifiers.In(ctx, tx, who.Actor(o, nil))
		return err
	})
	return c, err
}

// fileRow is a row of attachment_messages.
type fileRow struct {
	AttachmentID id.Attachment `json:"attachment_id"`
	MessageID    int64         `json:"message_id"`
}

// store stores the messages of a portion that aren't stored yet, some in each transaction.
func (c *content) store(ctx context.Context, p portion) error {
	columns := newTable[messageColumns](c.importing, "messages").columns
	for p.stored < len(p.ids) {
		rows, files := []messageColumns(nil), []fileRow(nil)
		for at := p.stored; at < min(p.stored+rowsAtOnce, len(p.ids)); at++ {
			row, in, err := c.row(ctx, p.messages[at], p.ids[at])
			if err != nil {
				return err
			}
			rows = append(rows, row)
			for _, file := range in {
				files = append(files, fileRow{file, row.MessageID})
			}
		}
		stored := p.stored + len(rows)
		err := c.write(ctx, func(tx *store.Tx) error {
			if _, err := tx.ImportRows(ctx, "messages", columns, rows); err != nil {
				return err
			}
			if len(files) > 0 {
				if _, err := tx.ImportRows(ctx, "attachment_messages", []string{"attachment_id", "message_id"}, files); err != nil {
					return err
				}
			}
			return tx.NoteImported(ctx, int32(stored), int32(p.number))
		})
		if err != nil {
			return err
		}
		p.stored = stored
	}
	return nil
}

// row returns a message as it is stored, and the uploaded files in it.
func (c *content) row(ctx context.Context, p placed, number int64) (row messageColumns, files []id.Attachment, err error) {
	text := c.translated(p.Content)
	rendered, attributes, paths, err := c.render(ctx, text)
	if err != nil {
		return row, nil, err
	}
	for _, path := range paths {
		if file, ok := c.files[path]; ok && file.isIn(p.ID) && !slices.Contains(files, file.id) {
			files = append(files, file.id)
		}
	}
	row = messageColumns{
		MessageID: number, SenderID: p.sender, Topic: p.Subject, Content: text, Rendered: rendered, Renderer: message.RendererVersion,
		Client: c.client(p.Client), Flags: int16(attributes), SentAt: p.Sent.Time,
	}
	if p.stream != 0 {
		row.StreamID = &p.stream
	} else {
		row.ConversationID = &p.conversation
	}
	if p.EditHistory != nil {
		if row.Edits, err = c.edits(ctx, *p.EditHistory, p.ID); err != nil {
			return row, nil, err
		}
	}
	if p.Edited != nil {
		row.EditedAt = &p.Edited.Time
	}
	return row, files, nil
}

// client returns the name of a client program.
func (m *importing) client(source int64) string {
	if known := m.clients[source]; known != "" {
		return known
	}
	return "Imported"
}

// render renders a text as HTML. A text that can't be rendered is shown as plain text.
func (c *content) render(ctx context.Context, text string) (rendered string, a message.Attributes, paths []string, err error) {
	result, err := c.Markdown.Render(ctx, text, c.mentions)
	switch {
	case ctx.Err() != nil:
		return "", 0, nil, ctx.Err()
	case err != nil:
		c.report.leave("messages that can't be rendered are shown as they were typed", text)
		return "<p>" + html.EscapeString(text) + "</p>", 0, nil, nil //nolint:nilerr // it is in the report
	}
	return result.HTML, message.ContentAttributes(text, result), result.Uploads, nil
}

// edits returns the edits of a message as they are stored. Their contents are rendered again.
func (c *content) edits(ctx context.Context, history string, of int64) (json.RawMessage, error) {
	edits := []message.Edit{}
	if err := json.Unmarshal([]byte(history), &edits); err != nil || len(edits) > message.MaxEdits {
		c.report.leave("histories of messages that aren't lists of at most 100 edits", strconv.FormatInt(of, 10))
		return nil, nil //nolint:nilerr // it is in the report
	}
	kept := edits[:0]
	for _, e := range edits {
		if e.UserID = c.users[int64(e.UserID)]; e.UserID == 0 {
			continue
		}
		if e.PrevStream != nil {
			if e.PrevStream = new(c.streams[int64(*e.PrevStream)]); *e.PrevStream == 0 {
				e.PrevStream = nil
			}
		}
		if e.PrevSubject != nil {
			e.PrevSubject = new(topicOf(*e.PrevSubject))
		}
		e.PrevRenderedContent, e.PrevRenderedContentVersion = nil, nil
		if e.PrevContent != nil {
			text := c.translated(cleanContent(*e.PrevContent))
			rendered, _, _, err := c.render(ctx, text)
			if err != nil {
				return nil, err
			}
			e.PrevContent, e.PrevRenderedContent, e.PrevRenderedContentVersion = &text, &rendered, new(int16(message.RendererVersion))
		}
		kept = append(kept, e)
	}
	if len(kept) == 0 {
		return nil, nil
	}
	return json.Marshal(kept)
}

// cleanContent returns a message's content in the form that is stored.
func cleanContent(content string) string {
	content = strings.ReplaceAll(content, "\x00", "")
	if len(content) > maxContent {
		content = strings.ToValidUTF8(content[:maxContent], "") + "…"
	}
	return strings.TrimRight(content, " \t\r\n")
}
