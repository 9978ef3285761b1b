package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

const (
	// portionSize is the number of messages in a portion, which get their ids together.
	portionSize = 1000
	// maxContent is the maximum length of a message in bytes. Longer ones are truncated. Messages sent here have at most
	// message.MaxContent.
	maxContent = 1 << 20
)

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

// placed is a message of the archive, with the sender and the stream or conversation here.
type placed struct {
	archive.Message

	sender       id.User
	stream       id.Stream
	conversation id.Conversation
}

// portion is messages that are stored by one worker.
type portion struct {
	number   int
	ids      []int64
	stored   int // how many of them are stored
	messages []placed
}

// messages imports all messages. Their new ids have the order of the archive's. Whether a message is left out depends only on the
// archive, so that portions are the same when an import is continued.
func (m *importing) messages(ctx context.Context) error {
	begun, err := m.begunPortions(ctx)
	if err != nil {
		return err
	}
	if err := m.huddles(ctx); err != nil {
		return err
	}
	content, err := m.newContent(ctx)
	if err != nil {
		return err
	}
	workers, inner := errgroup.WithContext(ctx)
	queue, done := make(chan portion), &progress{in: m}
	for range m.Workers {
		workers.Go(func() error {
			for p := range queue {
				if err := content.store(inner, p); err != nil {
					return err
				}
				done.add(len(p.messages))
			}
			return nil
		})
	}
	workers.Go(func() error {
		defer close(queue)
		return m.dispatch(inner, begun, queue)
	})
	if err := workers.Wait(); err != nil {
		return err
	}
	m.report.count("messages", len(m.readers.sources))
	return m.firstMessages(ctx)
}

// progress counts the messages that workers have stored.
type progress struct {
	mu   sync.Mutex
	in   *importing
	done int
}

func (p *progress) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.in.Progress("messages", p.done, p.in.index.total)
}

// begunPortions returns the portions that got their ids in an interrupted import.
func (m *importing) begunPortions(ctx context.Context) (map[int]portion, error) {
	begun := map[int]portion{}
	err := m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		rows, err := tx.ImportPortions(ctx)
		for _, row := range rows {
			begun[int(row.Portion)] = portion{number: int(row.Portion), ids: row.Messages, stored: int(row.Stored)}
		}
		return err
	})
	return begun, err
}

// dispatch reads the messages and hands portions of them to the workers.
func (m *importing) dispatch(ctx context.Context, begun map[int]portion, queue chan<- portion) error {
	collected, number := []placed(nil), 0
	conversations := map[string]id.Conversation{}
	hand := func() error {
		number++
		p, ok := begun[number]
		if !ok {
			err := m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) (err error) {
				p.ids, err = tx.TakeImportPortion(ctx, int32(number), int32(len(collected)))
				return err
			})
			if err != nil {
				return err
			}
		}
		if len(p.ids) != len(collected) {
			return errors.New("the archive isn't as it was when the import began")
		}
		p.number, p.messages = number, collected
		for i, one := range collected {
			m.readers.addMessage(one.ID, p.ids[i], one.stream)
		}
		collected = nil
		select {
		case queue <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := m.index.each(ctx, m.Archive, m.report, func(one archive.Message) error {
		found, err := m.place(ctx, one, conversations)
		if err != nil || found == nil {
			return err
		}
		if collected = append(collected, *found); len(collected) < portionSize {
			return nil
		}
		return hand()
	})
	if err == nil && len(collected) > 0 {
		err = hand()
	}
	return err
}

// place finds the sender and the stream or conversation of a message. It returns nil if the message is left out.
func (m *importing) place(ctx context.Context, one archive.Message, conversations map[string]id.Conversation) (*placed, error) {
	p := placed{Message: one, sender: m.users[one.Sender]}
	p.Content = cleanContent(one.Content)
	to, ok := m.recipients[one.Recipient]
	switch {
	case p.sender == 0:
		m.report.leave("messages with an unknown sender", strconv.FormatInt(one.ID, 10))
		return nil, nil
	case !ok || to.stream == 0 && to.members == nil && m.users[to.user] == 0:
		m.report.leave("messages with an unknown recipient", strconv.FormatInt(one.ID, 10))
		return nil, nil
	case p.Content == "":
		m.report.leave("messages without content", strconv.FormatInt(one.ID, 10))
		return nil, nil
	case to.stream != 0:
		p.stream, p.Subject = to.stream, topicOf(one.Subject)
		return &p, nil
	}
	p.Subject = ""
	var err error
	p.conversation, err = m.conversation(ctx, p.sender, to, conversations)
	return &p, err
}

// topicOf returns a valid topic of a stream message.
func topicOf(subject string) string {
	if topic := cut(subject, message.MaxTopic); topic != "" {
		return topic
	}
	return "(no topic)"
}

// conversation finds or creates the conversation of a sender with a recipient. known caches conversations by their members.
func (m *importing) conversation(ctx context.Context, sender id.User, to recipient, known map[string]id.Conversation) (id.Conversation, error) {
	members := []id.User{sender}
	for _, member := range append(slices.Clone(to.members), to.user) {
		if made := m.users[member]; made != 0 {
			members = append(members, made)
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	key := strings.Join(lists.Map(members, id.User.String), ",")
	if found := known[key]; found != 0 {
		return found, nil
	}
	found := id.Conversation(0)
	err := m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) (err error) {
		if found, err = tx.CreateConversation(ctx, members); err != nil {
			return err
		}
		return tx.AddConversationMembers(ctx, id.Convert[int64](members), found)
	})
	known[key] = found
	return found, err
}

// cleanContent returns a message's content in the form that is stored.
func cleanContent(content string) string {
	content = strings.ReplaceAll(content, "\x00", "")
	if len(content) > maxContent {
		content = strings.ToValidUTF8(content[:maxContent], "") + "…"
	}
	return strings.TrimRight(content, " \t\r\n")
}

// huddles reads the members of private conversations, and subscriptions.
func (m *importing) huddles(ctx context.Context) error {
	return m.tables(ctx, map[string]archive.Row{archive.Subscriptions: archive.Rows(func(row archive.Subscription) error {
		to := m.recipients[row.Recipient]
		switch {
		case to.members != nil:
			if len(to.members) == message.MaxRecipients {
				m.report.leave(fmt.Sprintf("members of private conversations beyond %d", message.MaxRecipients), strconv.FormatInt(row.User, 10))
				return nil
			}
			to.members = append(to.members, row.User)
			m.recipients[row.Recipient] = to
		case to.stream != 0:
			m.readers.subscribe(m.users[row.User], to.stream, row)
		}
		return nil
	})})
}

// firstMessages stores the first message of each stream.
func (m *importing) firstMessages(ctx context.Context) error {
	for stream := range m.readers.inStream {
		if err := m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) error { return tx.SetFirstMessage(ctx, stream) }); err != nil {
			return err
		}
	}
	return nil
}

// content converts messages to rows. It is safe for concurrent use.
type content struct {
	*importing

	files map[string]id.Attachment // by path
}

func (m *importing) newContent(ctx context.Context) (*content, error) {
	c := &content{importing: m, files: map[string]id.Attachment{}}
	for _, u := range m.uploads {
		if u.id != 0 {
			c.files[path.Dir(u.path)] = u.id // without the name
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
	columns := newTable[messageColumns](c.importing, "messages", "").columns
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
		err := c.DB.Write(ctx, c.org.ID, func(tx *store.Tx) error {
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
		if file, ok := c.files[path]; ok && !slices.Contains(files, file) {
			files = append(files, file)
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
		c.report.leave("messages that can't be rendered are shown as they were typed", text[:min(len(text), 40)])
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
			e.PrevSubject = new(cut(*e.PrevSubject, message.MaxTopic))
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

// uploadMark begins the path of an uploaded file in a text.
const uploadMark = "/user_uploads/"

// translated returns a text with this server's ids in mentions and this server's paths of files.
func (c *content) translated(text string) string {
	if !strings.Contains(text, uploadMark) && !strings.Contains(text, "|") {
		return text
	}
	out := strings.Builder{}
	for {
		at := strings.IndexAny(text, "*/") // what both begin with: searching for each would take quadratic time
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		before, rest := text[:at], text[at:]
		out.WriteString(before)
		switch {
		case strings.HasPrefix(rest, uploadMark):
			text = c.translatedFile(&out, rest[len(uploadMark):])
		case strings.HasPrefix(rest, "**"):
			out.WriteString("**")
			if text = rest[2:]; strings.HasSuffix(before, "@") || strings.HasSuffix(before, "@_") {
				text = c.translatedMention(&out, text)
			}
		default:
			out.WriteByte(rest[0])
			text = rest[1:]
		}
	}
}

// translatedFile writes the path of an uploaded file, which text begins with, and returns what follows.
func (c *content) translatedFile(out *strings.Builder, text string) (rest string) {
	end := strings.IndexAny(text, " \t\r\n)]\"'<>|")
	if end < 0 {
		end = len(text)
	}
	path := text[:end]
	known, ok := c.uploads[path]
	if ok {
		path = known.path
	}
	if !ok || known.id != 0 {
		out.WriteString(uploadMark)
	}
	out.WriteString(path)
	return text[end:]
}

// maxMention is the maximum length of a mention in bytes, without its marks.
const maxMention = 200

// translatedMention writes the rest of a mention, if text begins with one, and returns what follows.
func (c *content) translatedMention(out *strings.Builder, text string) (rest string) {
	end := strings.Index(text[:min(len(text), maxMention+len("**"))], "**")
	if end < 0 {
		return text
	}
	name, number, ok := strings.Cut(text[:end], "|")
	if old, err := strconv.ParseInt(number, 10, 64); ok && err == nil && c.users[old] != 0 {
		name += "|" + c.users[old].String()
	} else {
		name = text[:end]
	}
	out.WriteString(name + "**")
	return text[end+2:]
}
