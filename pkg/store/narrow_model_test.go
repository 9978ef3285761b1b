package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// spans are ranges of ids. The second id isn't part of a range.
type spans [][2]int64

func (s spans) has(n id.Message) bool {
	return slices.ContainsFunc(s, func(r [2]int64) bool { return r[0] <= int64(n) && int64(n) < r[1] })
}

func (s spans) String() string {
	parts := make([]string, len(s))
	for i, r := range s {
		parts[i] = fmt.Sprintf("[%d,%d)", r[0], r[1])
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// place is a stream or a conversation from the view of its reader.
type place struct {
	id       int64
	stream   bool
	public   bool
	received spans // for a conversation: everything or nothing
	active   bool
	muted    bool
	upto     int64
	members  []id.User
}

type topicMark struct {
	upto int64
	read spans
}

type narrowed struct {
	id      id.Message
	sender  id.User
	at      *place
	topic   string
	content string
	marks   int16
}

// mailbox is everything that determines the messages of one reader of an organization, in the simplest form.
type mailbox struct {
	org      id.Org
	reader   id.User
	people   []id.User
	places   []*place
	messages []narrowed
	flags    map[id.Message]event.Flags
	topics   map[string]topicMark // by place and lower-case topic; without topic for conversations
	quiet    map[string]bool      // muted topics
	upto     int64
	again    spans
}

func key(p *place, topic string) string { return fmt.Sprintf("%d/%s", p.id, strings.ToLower(topic)) }

func (b *mailbox) unread(m narrowed) bool {
	if !m.at.received.has(m.id) {
		return false
	}
	mark := b.topics[key(m.at, m.topic)]
	read := int64(m.id) <= max(b.upto, m.at.upto, mark.upto) || mark.read.has(m.id) || m.sender == b.reader && m.marks&2 != 0
	return b.again.has(m.id) || !read
}

// seen returns the flags of a message.
func (b *mailbox) seen(m narrowed) event.Flags {
	flags := b.flags[m.id] &^ (event.Read | event.Historical | event.WildcardMentioned)
	switch {
	case !m.at.received.has(m.id):
		return flags | event.Read | event.Historical
	case !b.unread(m):
		flags |= event.Read
	}
	if m.marks&1 != 0 {
		flags |= event.WildcardMentioned
	}
	return flags
}

func (b *mailbox) holds(term store.NarrowTerm, m narrowed) bool {
	return b.is(term.Condition, m) != term.Negated
}

func (b *mailbox) is(condition store.Condition, m narrowed) bool {
	switch c := condition.(type) {
	case store.InStream:
		return m.at.stream && m.at.id == int64(c.Stream)
	case store.InPublicStreams:
		return m.at.stream && m.at.public
	case store.InTopic:
		return m.at.stream && strings.EqualFold(m.topic, c.Topic)
	case store.SentBy:
		return m.sender == c.Sender
	case store.InConversation:
		return !m.at.stream && m.at.id == int64(c.Conversation)
	case store.InGroupWith:
		return !m.at.stream && len(m.at.members) > 2 && slices.Contains(m.at.members, c.User) && slices.Contains(m.at.members, b.reader)
	case store.IsPrivate:
		return !m.at.stream
	case store.HasFlags:
		return b.flags[m.id]&c.Flags != 0
	case store.IsMentioned:
		return b.seen(m)&(event.Mentioned|event.WildcardMentioned) != 0
	case store.IsUnread:
		return b.unread(m)
	case store.HasAttribute:
		return m.marks&c.Bit != 0
	case store.InHome:
		return !b.quiet[key(m.at, m.topic)] && (c.TopicsOnly || !m.at.active || !m.at.muted)
	case store.HasID:
		return slices.Contains(c.Messages, m.id)
	case store.HasWords:
		text := strings.ToLower(m.topic + " " + m.content)
		words := strings.Fields(text)
		for _, wanted := range strings.Fields(strings.ToLower(strings.NewReplacer(`"`, " ").Replace(c.Words))) {
			if !slices.Contains(words, wanted) {
				return false
			}
		}
		return !slices.ContainsFunc(c.Literally, func(part string) bool {
			part = strings.ToLower(part)
			return !strings.Contains(strings.ToLower(m.content), part) && !strings.Contains(strings.ToLower(m.topic), part)
		})
	default:
		panic(fmt.Sprintf("the model doesn't know %T", c))
	}
}

// find returns the messages of a narrow, as one range.
func (b *mailbox) find(n store.Narrow, r store.MessageRange) []narrowed {
	found := []narrowed{}
	for _, m := range b.messages {
		_, marked := b.flags[m.id]
		matches := n.History || m.at.received.has(m.id) || marked
		for _, term := range n.Terms {
			matches = matches && b.holds(term, m)
		}
		if matches && r.First <= m.id && m.id <= r.Last {
			found = append(found, m)
		}
	}
	if r.Newest {
		return found[max(0, len(found)-r.Limit):]
	}
	return found[:min(len(found), r.Limit)]
}

var vocabulary = []string{"valve", "lamp", "pump", "door"}

// newMailbox creates a random mailbox, and the same in the database. Each has its own ids.
func (w *world) newMailbox(random *rand.Rand) *mailbox {
	w.t.Helper()
	b := &mailbox{
		org: w.org(), flags: map[id.Message]event.Flags{}, topics: map[string]topicMark{}, quiet: map[string]bool{},
	}
	b.people = w.users(b.org, 4)
	b.reader = b.people[0]
	first := int64(1 + w.serial*10_000_000)
	spread := []int64{3_000, 3_000_000}[random.IntN(2)] // close together or far apart
	at := func() int64 { return first + random.Int64N(spread) }
	some := func() spans {
		ends := []int64{at(), at(), at(), at()}
		slices.Sort(ends)
		return spans{{ends[0], ends[1]}, {ends[2], ends[3]}}
	}
	rarely := func() bool { return random.IntN(4) == 0 }
	if rarely() {
		b.upto = at()
		w.session.Exec("update users set read_upto = $1 where user_id = $2", b.upto, b.reader)
	}
	for n := range 6 {
		p := &place{stream: true, public: n%2 == 0}
		name := fmt.Sprintf("stream %d", n)
		p.id = int64(w.streams(b.org, name)[0])
		w.session.Exec("update streams set invite_only = $1 where stream_id = $2", !p.public, p.id)
		b.places = append(b.places, p)
		if n == 0 {
			continue // never subscribed
		}
		p.received, p.active, p.muted = some(), n != 1, rarely()
		received := p.received.String()
		if p.active {
			received = strings.Replace(received, fmt.Sprintf(",%d)}", p.received[1][1]), ",)}", 1)
			p.received[1][1] = 1 << 60
		}
		if rarely() {
			p.upto = at()
		}
		w.session.Exec(`insert into subscriptions (org_id, stream_id, user_id, active, muted, color, received, read_upto)
			values ($1, $2, $3, $4, $5, '#fff', $6::text::int8multirange, $7)`, b.org, p.id, b.reader, p.active, p.muted, received, p.upto)
		for _, topic := range []string{"dry", "wet"} {
			if rarely() {
				b.quiet[key(p, topic)] = true
				w.session.Exec("insert into muted_topics (org_id, user_id, stream_id, topic) values ($1, $2, $3, $4)", b.org, b.reader, p.id, strings.ToUpper(topic))
			}
			if rarely() {
				mark := topicMark{at(), some()}
				b.topics[key(p, topic)] = mark
				w.session.Exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto, read)
					values ($1, $2, $3, $4, $5, $6::text::int8multirange)`, b.org, b.reader, p.id, topic, mark.upto, mark.read.String())
			}
		}
	}
	for _, members := range [][]id.User{b.people[:1], b.people[:2], b.people[:3], b.people, b.people[1:3]} {
		p := &place{members: members, id: storedConversation(w, b.org, members)}
		b.places = append(b.places, p)
		if members[0] != b.reader {
			continue
		}
		p.received = spans{{0, 1 << 60}}
		if rarely() {
			mark := topicMark{at(), some()}
			b.topics[key(p, "")] = mark
			w.session.Exec("update conversation_members set read_upto = $1, read = $2::text::int8multirange where conversation_id = $3 and user_id = $4",
				mark.upto, mark.read.String(), p.id, b.reader)
		}
	}
	if rarely() {
		b.again = some()
		w.session.Exec("insert into unread_again (org_id, user_id, messages) values ($1, $2, $3::text::int8multirange)", b.org, b.reader, b.again.String())
	}
	w.fill(random, b, at)
	return b
}

func storedConversation(w *world, org id.Org, members []id.User) int64 {
	w.t.Helper()
	w.session.Exec("insert into conversations (org_id, members) values ($1, $2)", org, members)
	conversation := storetestOne[int64](w, "select conversation_id from conversations where org_id = $1 and members = $2", org, members)
	w.session.Exec("insert into conversation_members (org_id, user_id, conversation_id) select $1, unnest($2::bigint[]), $3", org, members, conversation)
	return conversation
}

// fill creates messages, and marks some.
func (w *world) fill(random *rand.Rand, b *mailbox, at func() int64) {
	w.t.Helper()
	ids := make([]int64, 500)
	for i := range ids {
		ids[i] = at()
	}
	slices.Sort(ids)
	columns := struct {
		ids, senders, streams, conversations []int64
		topics, contents                     []string
		marks                                []int16
	}{}
	for _, number := range slices.Compact(ids) {
		m := narrowed{id: id.Message(number), sender: b.people[random.IntN(len(b.people))], at: b.places[random.IntN(len(b.places))], marks: int16(random.IntN(32))}
		stream, conversation := m.at.id, int64(0)
		if m.at.stream {
			m.topic = []string{"dry", "Dry", "wet"}[random.IntN(3)]
		} else {
			stream, conversation = 0, m.at.id
		}
		words := []string{}
		for range 1 + random.IntN(3) {
			words = append(words, vocabulary[random.IntN(len(vocabulary))])
		}
		m.content = strings.Join(words, " ")
		b.messages = append(b.messages, m)
		columns.ids, columns.senders, columns.streams = append(columns.ids, number), append(columns.senders, int64(m.sender)), append(columns.streams, stream)
		columns.conversations, columns.topics = append(columns.conversations, conversation), append(columns.topics, m.topic)
		columns.contents, columns.marks = append(columns.contents, m.content), append(columns.marks, m.marks)
		// An account has no marks in others' conversations.
		if random.IntN(8) == 0 && (m.at.stream || slices.Contains(m.at.members, b.reader)) {
			b.flags[m.id] = []event.Flags{event.Starred, event.Mentioned, event.HasAlertWord | event.Mentioned, event.Collapsed, event.Starred | event.Historical}[random.IntN(5)]
			w.session.Exec("insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, $3, $4)", b.org, b.reader, m.id, int16(b.flags[m.id]))
		}
	}
	w.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, unnest($2::bigint[]) as message_id, unnest($3::bigint[]) as sender_id,
			nullif(unnest($4::bigint[]), 0) as stream_id, nullif(unnest($5::bigint[]), 0) as conversation_id, unnest($6::text[]) as topic,
			unnest($7::text[]) as content, unnest($8::smallint[]) as flags`),
		b.org, columns.ids, columns.senders, columns.streams, columns.conversations, columns.topics, columns.contents, columns.marks)
}
