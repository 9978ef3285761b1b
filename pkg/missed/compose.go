package missed

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/reply"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxEarlier is the maximum number of earlier messages of a conversation in a mail.
	maxEarlier = 3
	// maxQuoted is the maximum number of messages in a mail. The mail has only the number of the others.
	maxQuoted = 50
	// maxNames is the maximum number of names in a title.
	maxNames = 5
	// threadSize is the size of what identifies a thread, in bytes. With it, a header has room in one line.
	threadSize = 16
)

// compose composes a mail about missed messages. It returns nil if none of them is still unread.
func (s *Service) compose(ctx context.Context, tx *store.Tx, _ string, about state) (*mail.Letter, error) {
	to, found, err := s.missed(ctx, tx, about.User, about.Messages)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return nil, err
	}
	// Personal messages come first, so that messages of streams don't displace them.
	slices.SortStableFunc(found, func(a, b conversation) int { return rank(a) - rank(b) })
	c := newComposer(tx, o, to)
	for _, one := range found {
		if err := c.add(ctx, one); err != nil {
			return nil, err
		}
	}
	letter := &mail.Letter{
		Language: c.texts.Code, To: to.RealEmail, From: o.Name, Subject: c.subject(), Before: []string{c.texts.Mail.Missed.Unread(c.all, c.org.URI)}, Quotes: c.quotes, After: c.after(),
		Unsubscribe: s.unsubscribeLink(o, c.stop),
	}
	if len(found) == 1 { // replies are sent to this conversation
		m := found[0].messages[0]
		to := message.Place{Stream: id.Stream(m.StreamID), Topic: m.Topic, Conversation: id.Conversation(m.ConversationID)}
		letter.Thread = s.thread(o.ID, m)
		letter.ReplyTo, err = reply.Address(ctx, tx, s.Orgs.Config().MailIn, about.User, to, s.Now())
	}
	return letter, err
}

// thread returns what the mails about a conversation have in common. It reveals nothing about the conversation, such as the topic's name.
func (s *Service) thread(in id.Org, m sqlc.UnreadRow) string {
	signature := s.Keys.Sign(fmt.Sprintf("thread %d %d %d %s", in, m.ConversationID, m.StreamID, m.TopicKey))
	return hex.EncodeToString(signature[:threadSize])
}

// rank orders conversations in a mail.
func rank(c conversation) int {
	if c.personal {
		return 0
	}
	return 1
}

// composer composes a mail, conversation by conversation.
type composer struct {
	tx     *store.Tx
	org    org.Org
	to     user.User
	texts  catalogue.Texts
	zone   *time.Location
	quotes []mail.Quote
	titles []string
	quoted int // messages
	all    int // messages, quoted or not
	stop   stop
}

func newComposer(tx *store.Tx, o org.Org, to user.User) composer {
	return composer{tx: tx, org: o, to: to, texts: to.Settings.Texts(), zone: zoneOf(to), stop: stop{User: to.ID}}
}

// shows reports whether the mail has the content of messages.
func (c *composer) shows() bool {
	return c.org.Settings.MessageContentAllowedInEmail && c.to.Settings.MessageContentInEmailNotifications
}

// add adds a conversation.
func (c *composer) add(ctx context.Context, one conversation) error {
	first := one.messages[0]
	c.all += len(one.messages)
	if one.personal {
		c.stop.Personal = true
	} else if in := id.Stream(first.StreamID); !slices.Contains(c.stop.Streams, in) {
		c.stop.Streams = append(c.stop.Streams, in)
	}
	title, err := c.title(ctx, first)
	if err != nil {
		return err
	}
	c.titles = append(c.titles, title)
	if !c.shows() {
		return nil
	}
	quote := mail.Quote{Title: title} // also if no messages fit
	if room := maxQuoted - c.quoted; room > 0 {
		if quote.Messages, err = c.earlier(ctx, first); err != nil {
			return err
		}
		for _, m := range one.messages[:min(room, len(one.messages))] {
			quote.Messages = append(quote.Messages, c.said(m.SenderName, m.SentAt, m.Rendered))
			c.quoted++
		}
	}
	c.quotes = append(c.quotes, quote)
	return nil
}

// earlier returns the last messages before a message.
func (c *composer) earlier(ctx context.Context, m sqlc.UnreadRow) ([]mail.QuotedMessage, error) {
	if m.ConversationID == 0 {
		return c.earlierInTopic(ctx, id.Stream(m.StreamID), m.TopicKey, int64(m.MessageID), maxEarlier)
	}
	rows, err := c.tx.SaidBefore(ctx, m.ConversationID, int64(m.MessageID), maxEarlier)
	return c.old(rows), err
}

// earlierInTopic returns the newest messages of a topic before a message.
func (c *composer) earlierInTopic(ctx context.Context, in id.Stream, topicKey string, before int64, limit int32) ([]mail.QuotedMessage, error) {
	rows, err := c.tx.SaidBeforeInTopic(ctx, sqlc.SaidBeforeInTopicParams{TopicKey: topicKey, StreamID: in, UserID: c.to.ID, Before: before, MaxRows: limit})
	return c.old(lists.Map(rows, func(row sqlc.SaidBeforeInTopicRow) sqlc.SaidBeforeRow { return sqlc.SaidBeforeRow(row) })), err
}

// old converts messages, the newest first, to quotations, the oldest first.
func (c *composer) old(rows []sqlc.SaidBeforeRow) []mail.QuotedMessage {
	said := make([]mail.QuotedMessage, 0, len(rows))
	for _, row := range slices.Backward(rows) {
		old := c.said(row.SenderName, row.SentAt, row.Rendered)
		old.Old = true
		said = append(said, old)
	}
	return said
}

func (c *composer) said(by string, at time.Time, rendered string) mail.QuotedMessage {
	text, markup := quoted(rendered, c.org.URI, c.texts)
	return mail.QuotedMessage{By: by, At: c.texts.Mail.Said(at.In(c.zone), c.to.Settings.TwentyFourHourTime), Text: text, HTML: markup}
}

// title returns the title of a conversation.
func (c *composer) title(ctx context.Context, m sqlc.UnreadRow) (string, error) {
	if m.ConversationID == 0 {
		return "#" + m.StreamName + " > " + m.Topic, nil
	}
	others := slices.DeleteFunc(id.Convert[id.User](m.Members), func(member id.User) bool { return member == c.to.ID })
	people, err := user.ByIDs(ctx, c.tx, others[:min(len(others), maxNames)])
	names := make([]string, len(people))
	for i, one := range people {
		names[i] = one.FullName
	}
	return c.texts.Mail.Missed.Conversation(names, len(others)-len(names)), err
}

func (c *composer) subject() string {
	says := c.texts.Mail.Missed
	subject := says.Subject
	if c.shows() {
		subject = c.titles[0]
		if len(c.titles) > 1 {
			subject = says.Conversations(len(c.titles))
		}
	}
	if c.to.Settings.RealmNameInNotifications {
		subject += " [" + c.org.Name + "]"
	}
	return subject
}

func (c *composer) after() []string {
	says := c.texts.Mail.Missed
	switch {
	case !c.org.Settings.MessageContentAllowedInEmail:
		return []string{says.OrgForbids}
	case !c.shows():
		return []string{says.YouForbid}
	case c.all > c.quoted:
		return []string{says.More(c.all - c.quoted)}
	}
	return nil
}

// zoneOf returns the time zone of an account, UTC by default.
func zoneOf(u user.User) *time.Location {
	if zone, err := user.Zone(u.Timezone); err == nil {
		return zone
	}
	return time.UTC
}
