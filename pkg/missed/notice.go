package missed

import (
	"context"
	"errors"
	"slices"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxContent is the maximum number of characters of a message in a notification. Push services accept 4 KiB.
	maxContent = 300
	// NoticeLife is the maximum age of a message in a notification.
	NoticeLife = 24 * time.Hour
)

// Notice is what a browser is notified of. Its JSON is what the script of the browser's page gets.
type Notice struct {
	Event   string     `json:"event"` // message
	Org     string     `json:"realm_uri"`
	User    id.User    `json:"user_id"` // who is notified
	Message id.Message `json:"message_id"`
	Time    int64      `json:"time"` // when it was sent, in Unix seconds

	// The rest is missing if the server's configuration excludes content.
	Sender     id.User   `json:"sender_id,omitempty"`
	SenderName string    `json:"sender_full_name,omitempty"`
	Recipient  string    `json:"recipient_type,omitempty"` // private or stream
	Stream     id.Stream `json:"stream_id,omitempty"`
	StreamName string    `json:"stream,omitempty"`
	Topic      string    `json:"topic,omitempty"`
	// Content is the beginning of the message as text, without what spoilers hide. It is missing for private messages if the reader's
	// settings exclude their content from notifications.
	Content string `json:"content,omitempty"`
}

// Notice returns the notification of the first of some messages that an account's browsers should show, according to
// its current settings and marks, or nil if there is none. done are the messages that need no further notification.
func (s *Service) Notice(ctx context.Context, in id.Org, account id.User, messages []id.Message) (notice *Notice, done []id.Message, err error) {
	there := s.there(ctx, in, []id.User{account})
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		notice, done = nil, messages
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil || o.Deactivated {
			return err
		}
		to, err := user.ByID(ctx, tx, account)
		if errors.Is(err, user.ErrNoSuchUser) || err == nil && !to.Active {
			return nil
		}
		if err != nil {
			return err
		}
		rows, err := tx.Unread(ctx, sqlc.UnreadParams{
			UserID: account, MessageIds: id.Convert[int64](messages), MentionsAll: int16(message.MentionsAll), Mentioned: int16(event.Mentioned),
		})
		since := s.Now().Add(-NoticeLife)
		first := slices.IndexFunc(rows, func(m sqlc.UnreadRow) bool { return m.SentAt.After(since) && pushed(to.Settings, m, there[account]) })
		if err != nil || first < 0 {
			return err
		}
		m := rows[first]
		notice = &Notice{Event: "message", Org: o.URI, User: account, Message: m.MessageID, Time: m.SentAt.Unix()}
		if s.PushContent {
			notice.show(m, to.Settings)
		}
		done = slices.DeleteFunc(slices.Clone(messages), func(one id.Message) bool { return one > m.MessageID })
		return nil
	})
	return notice, done, err
}

// show adds the content of a message and its place.
func (n *Notice) show(m sqlc.UnreadRow, s user.Settings) {
	n.Sender, n.SenderName, n.Recipient = m.SenderID, m.SenderName, "private"
	if m.StreamID != 0 {
		n.Recipient, n.Stream, n.StreamName, n.Topic = "stream", id.Stream(m.StreamID), m.StreamName, m.Topic
	} else if !s.PMContentInDesktopNotifications {
		return
	}
	text, _ := quoted(m.Rendered, n.Org, s.Texts())
	if characters := []rune(text); len(characters) > maxContent {
		text = string(characters[:maxContent-1]) + "…"
	}
	n.Content = text
}
