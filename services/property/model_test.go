package property_test

import (
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
)

// model is what is true of an organization's messages, with a row for each recipient and message, and
// the events that everybody should have received.
type model struct {
	roles    map[int64]actor.Role
	bots     map[int64]bool
	streams  map[int64]*stream
	messages map[int64]*message
	rows     map[int64]map[int64]*row // by account and message
	expected map[int64][]string
}

// stream is a stream with what is personal about it.
type stream struct {
	id                     int64
	name                   string
	private, historyPublic bool
	subscribed             map[int64]bool
	muted                  map[int64]bool            // stays when they leave
	mutedTopics            map[int64]map[string]bool // in small letters
}

// message is a message as it is for everybody.
type message struct {
	id, sender int64
	stream     int64 // or
	members    []int64
	topic      string
	wildcard   bool
	present    map[int64][]int64         // who was subscribed to each stream when it was sent
	reactions  map[int64]map[string]bool // names of emoji by account
}

// row is somebody's own copy of a message.
type row struct {
	received bool // rather than marked as history
	unread   bool
	flags    event.Flags // all but read, wildcard_mentioned; historical: they marked it as such
	kept     bool        // is theirs by having had flags, so also where it is moved away
}

// text is a message's content with what it says.
type text struct {
	content  string
	mentions []int64
	wildcard bool
	words    []string
}

func newModel(people []*person) *model {
	m := &model{
		roles: map[int64]actor.Role{}, bots: map[int64]bool{}, streams: map[int64]*stream{}, messages: map[int64]*message{},
		rows: map[int64]map[int64]*row{}, expected: map[int64][]string{},
	}
	for _, p := range people {
		m.roles[p.id], m.bots[p.id], m.rows[p.id] = p.role, p.bot, map[int64]*row{}
	}
	return m
}

// everybody returns all accounts, ascending.
func (m *model) everybody() []int64 { return slices.Sorted(maps.Keys(m.rows)) }

// sortedStreams returns all streams by id.
func (m *model) sortedStreams() []*stream {
	list := []*stream{}
	for _, number := range slices.Sorted(maps.Keys(m.streams)) {
		list = append(list, m.streams[number])
	}
	return list
}

// sortedMessages returns all messages by id.
func (m *model) sortedMessages() []*message {
	list := []*message{}
	for _, number := range slices.Sorted(maps.Keys(m.messages)) {
		list = append(list, m.messages[number])
	}
	return list
}

func (s *stream) members() []int64 { return slices.Sorted(maps.Keys(s.subscribed)) }

// canRead reports whether a stream is within somebody's ordinary access (rest-api.md, section 1.9).
func (m *model) canRead(user int64, s *stream) bool {
	return s.subscribed[user] || !s.private && m.roles[user] < actor.Guest
}

// canReadHistory reports whether somebody may read what they didn't receive (section 2.4.3).
func (m *model) canReadHistory(user int64, s *stream) bool {
	return s.historyPublic && m.canRead(user, s)
}

// canAccess reports whether somebody may access a message (section 1.9).
func (m *model) canAccess(user int64, of *message) bool {
	return m.rows[user][of.id] != nil || of.stream != 0 && m.canReadHistory(user, m.streams[of.stream])
}

// send is a message that was sent. Who reads in the client that they send from has it read; readBy have,
// too.
func (m *model) send(h *history, sent *message, body text, readBy ...int64) {
	sent.wildcard, sent.present, sent.reactions = body.wildcard, map[int64][]int64{}, map[int64]map[string]bool{}
	for _, s := range m.streams {
		sent.present[s.id] = s.members()
	}
	m.messages[sent.id] = sent
	receivers := sent.members
	if sent.stream != 0 {
		receivers = sent.present[sent.stream]
	}
	for _, user := range receivers {
		if m.rows[user] == nil {
			continue // a bot of the server's
		}
		marks := m.marks(h, user, body)
		m.rows[user][sent.id] = &row{received: true, unread: !slices.Contains(readBy, user), flags: marks, kept: marks != 0}
	}
	if sent.stream != 0 && !m.streams[sent.stream].private { // generic bots receive it anyway (events.md, section 4.1)
		for _, user := range body.mentions {
			if m.bots[user] && m.rows[user][sent.id] == nil {
				m.rows[user][sent.id] = &row{flags: m.marks(h, user, body), kept: true}
			}
		}
	}
	for _, user := range m.everybody() {
		r := m.rows[user][sent.id]
		if r == nil {
			continue
		}
		flags := r.flags
		if !r.unread && r.received {
			flags |= event.Read
		}
		if sent.wildcard {
			flags |= event.WildcardMentioned
		}
		m.expect(user, "message %d %v", sent.id, flags.Names())
	}
}

// marks are the flags that a text sets on somebody's copy.
func (m *model) marks(h *history, user int64, body text) event.Flags {
	flags := event.Flags(0)
	if slices.Contains(body.mentions, user) {
		flags |= event.Mentioned
	}
	for _, word := range h.withID(user).words {
		if slices.Contains(body.words, word) {
			flags |= event.HasAlertWord
		}
	}
	return flags
}

// holders are those who have a message before them: who has a row, and subscribers if they may read
// history.
func (m *model) holders(of *message) []int64 {
	return slices.DeleteFunc(m.everybody(), func(user int64) bool {
		if m.rows[user][of.id] != nil {
			return false
		}
		s := m.streams[of.stream]
		return s == nil || !s.historyPublic || !s.subscribed[user]
	})
}

// eventFlags are the flags that events about edits show somebody.
func (m *model) eventFlags(user int64, of *message) []string {
	r := m.rows[user][of.id]
	if r == nil {
		return event.Read.Names()
	}
	return m.shownFlags(user, of)
}

// shownFlags are the flags that somebody is shown with a message.
func (m *model) shownFlags(user int64, of *message) []string {
	r := m.rows[user][of.id]
	if r == nil {
		r = &row{}
	}
	if !r.received { // history is read
		return (r.flags | event.Read | event.Historical).Names()
	}
	flags := r.flags &^ event.Historical // which it was before it was moved
	if !r.unread {
		flags |= event.Read
	}
	if of.wildcard {
		flags |= event.WildcardMentioned
	}
	return flags.Names()
}

// markRead marks as read what somebody received and what matches, and returns what was unread of it.
func (m *model) markRead(user int64, matches func(*message) bool) []int64 {
	read := []int64{}
	for _, number := range slices.Sorted(maps.Keys(m.rows[user])) {
		if r := m.rows[user][number]; r.received && r.unread && matches(m.messages[number]) {
			r.unread = false
			read = append(read, number)
		}
	}
	return read
}

// setFlag adds or removes a flag that isn't read.
func (r *row) setFlag(flag event.Flags, remove bool) {
	if !remove {
		r.flags, r.kept = r.flags|flag, true
		return
	}
	if r.received && r.flags == flag {
		r.kept = false
	}
	r.flags &^= flag
}

// topicOf returns the messages of a stream's topic, ascending.
func (m *model) topicOf(stream int64, topic string) []int64 {
	numbers := []int64{}
	for number, of := range m.messages {
		if of.stream == stream && strings.EqualFold(of.topic, topic) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// muted reports whether a message is in a muted topic, or in a muted stream that the reader is in.
func (m *model) muted(user int64, of *message, topicsOnly bool) bool {
	s := m.streams[of.stream]
	if s == nil {
		return false
	}
	return s.mutedTopics[user][strings.ToLower(of.topic)] || !topicsOnly && s.subscribed[user] && s.muted[user]
}
