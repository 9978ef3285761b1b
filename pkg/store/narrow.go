package store

import (
	"strconv"
	"strings"
	"unicode"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// Narrow selects messages of a reader. All terms must hold. Terms name objects by id: callers have looked up names and
// addresses.
type Narrow struct {
	Reader id.User
	// IsBot says that the reader is a bot: messages may have been delivered to it without a subscription.
	IsBot bool
	// History makes every message of the streams that the terms name a candidate, which the caller has checked that the
	// reader may read. Without it, only messages that the reader received or flagged are candidates.
	History bool
	Terms   []NarrowTerm
}

// NarrowTerm is a condition, or the opposite of one.
type NarrowTerm struct {
	Condition
	Negated bool
}

// Condition is a predicate on a message: one of the types below.
type Condition interface {
	// where returns the condition on the message m as SQL.
	where(b *builder) string
}

// The conditions.
type (
	// InStream holds for the messages of a stream.
	InStream struct{ Stream id.Stream }
	// InPublicStreams holds for the messages of all public streams.
	InPublicStreams struct{}
	// InTopic holds for the stream messages with a topic. Case doesn't matter.
	InTopic struct{ Topic string }
	// SentBy holds for the messages from an account.
	SentBy struct{ Sender id.User }
	// InConversation holds for the messages of a private conversation; if it is zero, for none.
	InConversation struct{ Conversation id.Conversation }
	// InGroupWith holds for the messages of conversations of three or more members, among them the account and the reader.
	InGroupWith struct{ User id.User }
	// IsPrivate holds for private messages.
	IsPrivate struct{}
	// HasFlags holds for messages with one of the flags in the reader's row of flags.
	HasFlags struct{ Flags event.Flags }
	// IsMentioned holds for messages that mention the reader or everybody.
	IsMentioned struct{}
	// IsUnread holds for messages that the reader received and hasn't read (docs/decisions/0009-read-state.md).
	IsUnread struct{}
	// HasAttribute holds for messages with an attribute, which is a bit of messages.flags.
	HasAttribute struct{ Bit int16 }
	// InHome holds for messages outside the reader's muted topics and, unless TopicsOnly, muted streams.
	InHome struct{ TopicsOnly bool }
	// HasID holds for these messages.
	HasID struct{ Messages []id.Message }
	// HasWords holds for messages whose content and topic have all Words, in any form with the same English stem, and
	// whose content or topic has each of Literally, except for its case.
	HasWords struct {
		Words     string
		Literally []string
	}
)

// builder collects the parameters of a statement.
type builder struct {
	narrow Narrow
	args   []any
}

// arg adds a parameter and returns its placeholder.
func (b *builder) arg(value any, sqlType string) string {
	b.args = append(b.args, value)
	return "$" + strconv.Itoa(len(b.args)) + "::" + sqlType
}

// fill returns SQL with names in braces replaced. pairs are the names and what replaces them, alternately.
func fill(sql string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(sql) }

func (b *builder) number(n int64) string { return b.arg(n, "bigint") }

func (b *builder) reader() string { return b.number(int64(b.narrow.Reader)) }

// filter returns the SQL of all terms. Unless held, it also checks that the message m is a candidate.
func (b *builder) filter(held bool) string {
	parts := []string(nil)
	for _, term := range b.narrow.Terms {
		parts = append(parts, b.where(term))
	}
	if !held && !b.narrow.History {
		parts = append(parts, "("+b.received()+" or "+b.flagged("")+")")
	}
	if len(parts) == 0 {
		return "true"
	}
	return strings.Join(parts, " and ")
}

// where returns a term as SQL. A condition that is null, such as one on the stream of a private message, doesn't hold.
func (b *builder) where(term NarrowTerm) string {
	if term.Negated {
		return "(" + term.where(b) + ") is not true"
	}
	return "(" + term.where(b) + ")"
}

// unjoined returns a condition on a subquery in a form that PostgreSQL doesn't convert into a join. With many of these in a
// statement, looking for the best order of joins would take longer than any search.
func unjoined(condition string) string { return condition + " is true" }

// received returns the SQL condition that the reader received the message.
func (b *builder) received() string {
	return `coalesce((select s.received @> m.message_id from subscriptions s where s.user_id = ` + b.reader() + ` and s.stream_id = m.stream_id),
		exists (select from conversation_members c where c.user_id = ` + b.reader() + ` and c.conversation_id = m.conversation_id))`
}

// has returns the SQL condition that the reader received the message, or that it was delivered to it (event.Delivered).
func (b *builder) has() string {
	if !b.narrow.IsBot {
		return b.received()
	}
	return "(" + b.received() + " or " + b.flagged(" and f.flags & 2048 <> 0") + ")"
}

// flagged returns the SQL condition that the reader has a row of flags f for the message that also satisfies more.
func (b *builder) flagged(more string) string {
	return "exists (select from message_flags f where f.user_id = " + b.reader() + " and f.message_id = m.message_id" + more + ")"
}

func (c InStream) where(b *builder) string { return "m.stream_id = " + b.number(int64(c.Stream)) }

func (InPublicStreams) where(*builder) string {
	return unjoined("exists (select from streams s where s.stream_id = m.stream_id and not s.invite_only)")
}

func (c InTopic) where(b *builder) string {
	return "m.stream_id is not null and m.topic_key = lower(" + b.arg(c.Topic, "text") + ")"
}

func (c SentBy) where(b *builder) string { return "m.sender_id = " + b.number(int64(c.Sender)) }

func (c InConversation) where(b *builder) string {
	return "m.conversation_id = " + b.number(int64(c.Conversation))
}

func (c InGroupWith) where(b *builder) string {
	return unjoined("m.conversation_id in (" + c.groups(b) + ")")
}

func (c InGroupWith) groups(b *builder) string {
	return `select own.conversation_id from conversation_members own
		join conversation_members other on other.org_id = own.org_id and other.conversation_id = own.conversation_id
		join conversations v on v.org_id = own.org_id and v.conversation_id = own.conversation_id
		where own.user_id = ` + b.reader() + ` and other.user_id = ` + b.number(int64(c.User)) + ` and cardinality(v.members) > 2`
}

func (IsPrivate) where(*builder) string { return "m.conversation_id is not null" }

func (c HasFlags) where(b *builder) string { return b.flagged(" and " + c.bits()) }

func (c HasFlags) bits() string {
	return "f.flags & " + strconv.Itoa(int(c.Flags)) + " <> 0" // not a parameter, for the condition of an index
}

func (IsMentioned) where(b *builder) string {
	return b.flagged(" and "+HasFlags{event.Mentioned}.bits()) + " or " + mentionsAll + " and " + b.has()
}

// mentionsAll is the SQL condition that a message mentions everybody, as in the index messages_mentioning_all.
const mentionsAll = "m.flags & 1 <> 0"

const (
	// files are the attributes of messages with a picture or a file.
	files = 24
	// hasFiles is the SQL condition that a message has one of these, as in the index messages_files.
	hasFiles = "m.flags & 24 > 0"
)

func (IsUnread) where(b *builder) string {
	if b.narrow.IsBot { // delivered, and not marked as read
		return "case when " + b.received() + " then not " + b.read() + " else " + b.flagged(" and f.flags & 2049 = 2048") + " end"
	}
	return b.received() + " and not " + b.read()
}

// read returns the SQL condition that the reader has read the message, provided that they received it.
func (b *builder) read() string {
	return `(select is_read(m.message_id, m.sender_id = ` + b.reader() + `, m.flags,
			greatest(o.read_upto, s.read_upto, t.read_upto, c.read_upto), coalesce(t.read, c.read), o.again)
		from own o
		left join subscriptions s on s.user_id = ` + b.reader() + ` and s.stream_id = m.stream_id
		left join topic_marks t on t.user_id = ` + b.reader() + ` and t.stream_id = m.stream_id and t.topic_key = m.topic_key
		left join conversation_members c on c.user_id = ` + b.reader() + ` and c.conversation_id = m.conversation_id)`
}

// own returns the step of the statement with the reader's read state that applies to all messages. The sum of ranges is
// decompressed: the column would be once for each message.
func (b *builder) own() string {
	return `own as materialized (
	select u.read_upto, coalesce(a.messages, '{}'::int8multirange) + '{}'::int8multirange as again
	from users u left join unread_again a on a.org_id = u.org_id and a.user_id = u.user_id
	where u.user_id = ` + b.reader() + `
)`
}

func (c HasAttribute) where(*builder) string {
	bit := strconv.Itoa(int(c.Bit)) // not a parameter, for the conditions of indexes
	has := "m.flags & " + bit + " = " + bit
	if c.Bit&files != 0 {
		has += " and " + hasFiles
	}
	return has
}

func (c InHome) where(b *builder) string {
	topics := "not exists (select from muted_topics t where t.user_id = " + b.reader() + " and t.stream_id = m.stream_id and t.topic_key = m.topic_key)"
	if c.TopicsOnly {
		return topics
	}
	return topics + " and not exists (select from subscriptions s where s.user_id = " + b.reader() +
		" and s.stream_id = m.stream_id and s.active and s.muted)"
}

func (c HasID) where(b *builder) string { return "m.message_id = any (" + c.list(b) + ")" }

func (c HasID) list(b *builder) string {
	return b.arg(id.Convert[int64](c.Messages), "bigint[]")
}

func (c HasWords) where(b *builder) string {
	return "m.search @@ plainto_tsquery('english', " + b.arg(c.Words, "text") + ")" + c.literally(b)
}

func (c HasWords) literally(b *builder) string {
	sql := strings.Builder{}
	for _, part := range c.Literally {
		key, content := "lower("+b.arg(part, "text")+")", "m.content"
		if strings.ContainsFunc(part, func(r rune) bool { return r > unicode.MaxASCII }) {
			content = "normalize(m.content)" // as topics and the part are; it takes longer
		}
		sql.WriteString(" and (strpos(lower(" + content + "), " + key + ") > 0 or strpos(m.topic_key, " + key + ") > 0)")
	}
	return sql.String()
}
