package property_test

import (
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
)

// model is the expected state of an organization's messages, with a row for each recipient and message, and the
// expected events of all accounts.
type model struct {
	roles    map[int64]actor.Role
	bots     map[int64]bool
	streams  map[int64]*stream
	messages map[int64]*message
	rows     map[int64]map[int64]*row // by account and message
	expected map[int64][]string
}

// stream is a stream with its subscribers and their settings.
type stream struct {
	id                     int64
	name                   string
	private, historyPublic bool
	subscribed             map[int64]bool
	muted                  map[int64]bool            // kept when they leave
	mutedTopics            map[int64]map[string]bool // in lower case
}

// message is the part of a message that is equal for all accounts.
type message struct {
	id, sender int64
	stream     int64 // or
	members    []int64
	topic      string
	wildcard   bool
	present    map[int64][]int64         // the subscribers of each stream when it was sent
	reactions  map[int64]map[string]bool // names of emoji by account
}

// row is an account's copy of a message.
type row struct {
	received  bool        // instead of marked as history
	unread    bool        // if it is received
	delivered bool        // to a bot that it mentioned, and that may not have received it
	marked    bool        // as read, if it is delivered
	flags     event.Flags // all except read and wildcard_mentioned; historical: marked as such by the account
	kept      bool        // stays with the account when it is moved away, because it had flags
}

// isUnread reports whether the account hasn't read its copy.
func (r *row) isUnread() bool {
	if r.received {
		return r.unread
	}
	return r.delivered && !r.marked
}

// text is the content of a message with its effects.
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

// canRead reports whether an account has ordinary access to a stream (rest-api.md, section 1.9).
func (m *model) canRead(user int64, s *stream) bool {
	return s.subscribed[user] || !s.private && m.roles[user] < actor.Guest
}

// canReadHistory reports whether an account may read messages that it hasn't received (section 2.4.3).
func (m *model) canReadHistory(user int64, s *stream) bool {
	return s.historyPublic && m.canRead(user, s)
}

// canAccess reports whether an account may access a message (section 1.9).
func (m *model) canAccess(user int64, of *message) bool {
	return m.rows[user][of.id] != nil || of.stream != 0 && m.canReadHistory(user, m.streams[of.stream])
}

// send records a sent message. It is read for accounts that read in the client that sent it, and for those in readBy.
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
			continue // a bot of the server
		}
		marks := m.marks(h, user, body)
		m.rows[user][sent.id] = &row{received: true, unread: !slices.Contains(readBy, user), flags: marks, kept: marks != 0}
	}
	if sent.stream != 0 && !m.streams[sent.stream].private { // generic bots receive it in any case (events.md, section 4.1)
		for _, user := range body.mentions {
			if m.bots[user] && m.rows[user][sent.id] == nil {
				m.rows[user][sent.id] = &row{delivered: true, marked: slices.Contains(readBy, user), flags: m.marks(h, user, body), kept: true}
			}
		}
	}
	for _, user := range m.everybody() {
		r := m.rows[user][sent.id]
		if r == nil {
			continue
		}
		flags := r.flags
		if !r.isUnread() {
			flags |= event.Read
		}
		if sent.wildcard {
			flags |= event.WildcardMentioned
		}
		m.expect(user, "message %d %v", sent.id, flags.Names())
	}
}

// marks returns the flags that a text sets on an account's copy.
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

// holders returns the accounts that have a message: those with a row, and subscribers if they may read the history.
func (m *model) holders(of *message) []int64 {
	return slices.DeleteFunc(m.everybody(), func(user int64) bool {
		if m.rows[user][of.id] != nil {
			return false
		}
		s := m.streams[of.stream]
		return s == nil || !s.historyPublic || !s.subscribed[user]
	})
}

// eventFlags returns the flags for an account in events of edits.
func (m *model) eventFlags(user int64, of *message) []string {
	r := m.rows[user][of.id]
	if r == nil {
		return event.Read.Names()
	}
	return m.shownFlags(user, of)
}

// shownFlags returns the flags for an account with a message.
func (m *model) shownFlags(user int64, of *message) []string {
	r := m.rows[user][of.id]
	if r == nil {
		r = &row{}
	}
	if !r.received && !r.delivered { // history is read
		return (r.flags | event.Read | event.Historical).Names()
	}
	flags := r.flags &^ event.Historical // from before it was moved
	if !r.isUnread() {
		flags |= event.Read
	}
	if of.wildcard {
		flags |= event.WildcardMentioned
	}
	return flags.Names()
}

// markRead marks received messages that match as read, and returns the ones that were unread.
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

// markDelivered marks as read what a bot got without receiving it, and returns these messages.
func (m *model) markDelivered(user int64, matches func(*message) bool) []int64 {
	read := []int64{}
	for _, number := range slices.Sorted(maps.Keys(m.rows[user])) {
		if r := m.rows[user][number]; r.delivered && !r.marked && matches(m.messages[number]) {
			r.marked = true
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
