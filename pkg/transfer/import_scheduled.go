package transfer

import (
	"context"
	"strconv"
	"time"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/widget"
)

type scheduledColumns struct {
	ScheduledID    int64            `json:"scheduled_id"`
	SenderID       id.User          `json:"sender_id"`
	StreamID       *id.Stream       `json:"stream_id"`
	ConversationID *id.Conversation `json:"conversation_id"`
	Topic          string           `json:"topic"`
	Content        string           `json:"content"`
	Widget         *string          `json:"widget"`
	Client         string           `json:"client"`
	Reminder       bool             `json:"reminder"`
	DeliverAt      time.Time        `json:"deliver_at"`
	DueAt          time.Time        `json:"due_at"`
}

// scheduled imports scheduled messages, except for those whose time has passed, which the other server has sent.
func (m *importing) scheduled(ctx context.Context) error {
	conversations := map[string]id.Conversation{}
	rows, err := newObjects[scheduledColumns](ctx, m, kind{"scheduled", "scheduled_messages", "scheduled_message_ids"}, map[int64]int64{})
	if err != nil {
		return err
	}
	c, err := m.newContent(ctx)
	if err != nil {
		return err
	}
	err = m.tables(ctx, map[string]archive.Row{archive.Scheduled: archive.Rows(func(row archive.ScheduledMessage) error {
		s := scheduledColumns{
			SenderID: m.users[row.Sender], Content: c.translated(cleanContent(row.Content)), Widget: row.Widget, Client: m.client(row.Client),
			Reminder: row.Kind == archive.Remind, DeliverAt: row.At.Time, DueAt: row.At.Time,
		}
		to, ok := m.recipients[row.Recipient]
		switch {
		case row.Delivered || row.At.Before(m.Now()):
			m.report.leave("scheduled messages whose time has passed", strconv.FormatInt(row.ID, 10))
			return nil
		case s.SenderID == 0 || !ok || to.stream == 0 && to.members == nil && m.users[to.user] == 0 || s.Content == "" || len(s.Content) > message.MaxContent:
			m.report.leave("scheduled messages with an unknown sender or recipient, or that are empty or too long", strconv.FormatInt(row.ID, 10))
			return nil
		case s.Widget != nil && !isForm(*s.Widget):
			m.report.leave("scheduled messages with an invalid form", strconv.FormatInt(row.ID, 10))
			return nil
		}
		m.report.count("scheduled messages", 1)
		number, done, err := rows.id(ctx, row.ID)
		if err != nil || done {
			return err
		}
		s.ScheduledID = number
		if to.stream != 0 {
			s.StreamID, s.Topic = &to.stream, topicOf(row.Subject)
		} else {
			conversation, err := m.conversation(ctx, s.SenderID, to, conversations)
			if err != nil {
				return err
			}
			s.ConversationID = &conversation
		}
		if err := c.keepFiles(ctx, s.Content, s.DeliverAt); err != nil {
			return err
		}
		return rows.add(ctx, row.ID, s)
	})})
	if err != nil {
		return err
	}
	return rows.flush(ctx)
}

// isForm reports whether a text is a valid widget_content.
func isForm(text string) bool {
	_, err := widget.FromParameter(text)
	return err == nil
}

// keepFiles prevents the deletion of the uploaded files in a text until a time, since they aren't in a message yet.
func (c *content) keepFiles(ctx context.Context, text string, until time.Time) error {
	_, _, paths, err := c.render(ctx, text)
	if err != nil {
		return err
	}
	files := []int64(nil)
	for _, path := range paths {
		if file, ok := c.files[path]; ok {
			files = append(files, int64(file.id))
		}
	}
	if len(files) == 0 {
		return nil
	}
	return c.write(ctx, func(tx *store.Tx) error { return tx.KeepUnclaimed(ctx, until, files) })
}
