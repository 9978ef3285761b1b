package inbox_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/testbed"
)

// model is an account's inbox with one entry for each received message, as other servers store it.
type model struct {
	user     id.User
	readUpTo id.Message
	streams  map[id.Stream]*place
	private  map[id.Conversation]*place
	again    []id.Message // marked unread again
	messages []row
}

// place is a stream or a conversation.
type place struct {
	ranges   [][2]id.Message // of received messages; the second isn't part of it
	readUpTo id.Message
	topics   map[string]*topicMarks // by their names in lower case; of a conversation, by ""
}

// topicMarks is the read state of a topic.
type topicMarks struct {
	readUpTo id.Message
	read     [][2]id.Message // the second isn't part of it
}

// unread returns the messages that are unread, ascending.
func (m model) unread() []id.Message {
	unread := []id.Message{}
	for _, message := range m.messages {
		in := m.streams[message.Stream]
		if message.Conversation != 0 {
			in = m.private[message.Conversation]
		}
		if in == nil || !within(in.ranges, message.ID) {
			continue
		}
		marks := in.topics[strings.ToLower(message.Topic)]
		read := message.ID <= in.readUpTo || message.ID <= m.readUpTo || message.Sender == m.user && message.Flags&2 != 0 ||
			marks != nil && (message.ID <= marks.readUpTo || within(marks.read, message.ID))
		if !read || slices.Contains(m.again, message.ID) {
			unread = append(unread, message.ID)
		}
	}
	slices.Sort(unread)
	return unread
}

func within(ranges [][2]id.Message, m id.Message) bool {
	return slices.ContainsFunc(ranges, func(r [2]id.Message) bool { return r[0] <= m && m < r[1] })
}

// Whatever an account has received and read, the compact form has the same result as one entry per message.
func TestUnreadModel(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := w.random(random, int64(seed))
		unread := w.unread(w.acme, m.user)
		got := list(unread)
		if diff := cmp.Diff(m.unread(), got); diff != "" || unread.Count != len(got) {
			t.Fatalf("seed %d, count %d (-want +got):\n%s", seed, unread.Count, diff)
		}
	}
}

// random makes an inbox, and the same in the database. Each seed has its own ids, far apart.
func (w *world) random(random *rand.Rand, seed int64) model {
	w.t.Helper()
	first := 1 + seed*10_000_000
	at := func() id.Message { return id.Message(first + random.Int64N(5_000_000)) }
	m := model{user: w.person(w.acme, fmt.Sprintf("ada-%d", seed)), streams: map[id.Stream]*place{}, private: map[id.Conversation]*place{}}
	other := w.person(w.acme, fmt.Sprintf("bob-%d", seed))
	if random.IntN(3) == 0 {
		m.readUpTo = at()
		w.exec(`update users set read_upto = $2 where user_id = $1`, m.user, m.readUpTo)
	}
	places := []row{}
	for n := range int64(5) {
		stream := id.Stream(100_000 + seed*100 + n)
		w.stream(w.acme, stream)
		places = append(places, row{Stream: stream})
		if n == 0 {
			continue // never subscribed
		}
		in := &place{}
		bounds := []id.Message{at(), at(), at()}
		slices.Sort(bounds)
		in.ranges = [][2]id.Message{{bounds[0], bounds[1]}, {bounds[2], 1 << 60}}
		if random.IntN(2) == 0 {
			in.readUpTo = at()
		}
		w.exec(`insert into subscriptions (org_id, stream_id, user_id, active, color, received, read_upto)
			values ($1, $2, $3, $4, '#fff', $5::text::int8multirange, $6)`, w.acme.ID, stream, m.user, n != 1,
			fmt.Sprintf("{[%d,%d),[%d,)}", bounds[0], bounds[1], bounds[2]), in.readUpTo)
		if n != 1 { // which was left
			m.streams[stream] = in
		}
		in.topics = map[string]*topicMarks{}
		for _, topic := range []string{"a", "b"} {
			if random.IntN(2) == 0 {
				continue
			}
			from := at()
			marks := &topicMarks{readUpTo: from - id.Message(random.Int64N(2_000_000)), read: [][2]id.Message{{from, from + 500_000}}}
			in.topics[topic] = marks
			w.exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto, read)
				values ($1, $2, $3, $4, $5, int8multirange(int8range($6, $7)))`, w.acme.ID, m.user, stream, topic, marks.readUpTo, from, from+500_000)
		}
	}
	for n, members := range [][]id.User{{m.user}, {m.user, other}, {other}} {
		conversation := id.Conversation(100_050 + seed*100 + int64(n))
		w.conversation(w.acme, conversation, members...)
		places = append(places, row{Conversation: conversation})
		if members[0] != m.user {
			continue
		}
		in := &place{ranges: [][2]id.Message{{0, 1 << 60}}}
		if random.IntN(2) == 0 {
			in.readUpTo = at()
			w.exec(`update conversation_members set read_upto = $3 where user_id = $1 and conversation_id = $2`, m.user, conversation, in.readUpTo)
		}
		if random.IntN(2) == 0 {
			from := max(at(), in.readUpTo+1)
			in.topics = map[string]*topicMarks{"": {read: [][2]id.Message{{from, from + 500_000}}}}
			w.exec(`update conversation_members set read = int8multirange(int8range($3, $4)) where user_id = $1 and conversation_id = $2`,
				m.user, conversation, from, from+500_000)
		}
		m.private[conversation] = in
	}
	for range 100 {
		message := places[random.IntN(len(places))]
		message.ID, message.Flags, message.Topic = at(), int16(random.IntN(4)), []string{"a", "A", "b", "c"}[random.IntN(4)]
		if message.Conversation != 0 {
			message.Topic = ""
		}
		message.Sender = []id.User{m.user, other}[random.IntN(2)]
		m.messages = append(m.messages, message)
	}
	slices.SortFunc(m.messages, func(a, b row) int { return int(a.ID - b.ID) })
	m.messages = slices.CompactFunc(m.messages, func(a, b row) bool { return a.ID == b.ID })
	w.messages(w.acme, m.messages...)
	for _, message := range m.messages {
		if random.IntN(10) == 0 {
			m.again = append(m.again, message.ID)
		}
	}
	w.exec(`insert into unread_again (org_id, user_id, messages)
		select $1, $2, coalesce(range_agg(int8range(m, m + 1)), '{}') from unnest($3::bigint[]) m`, w.acme.ID, m.user, m.again)
	return m
}
