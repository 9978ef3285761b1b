package inbox_test

import (
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// naive is the read state with one entry for each recipient and message.
type naive struct {
	messages map[id.Message]*sent
	rows     map[id.User]map[id.Message]*entry
	active   map[id.User]map[id.Stream]bool
}

// sent is a message. present are the accounts that were subscribed to each stream when it was sent.
type sent struct {
	row
	present map[id.Stream][]id.User
}

// entry is an account's copy of a message.
type entry struct {
	received   bool // instead of starred as history
	unread     bool
	flagged    bool // has a row of flags, so that the account keeps it when it is moved away
	starred    bool
	historical bool // received by being starred
}

// star adds or removes the star. A row without flags is removed, unless it is the account's only record of the
// message.
func (e *entry) star(remove bool) {
	switch {
	case !remove:
		e.flagged, e.starred = true, true
	case e.starred:
		e.starred = false
		e.flagged = e.historical || !e.received
	}
}

func newNaive(users ...id.User) *naive {
	n := &naive{messages: map[id.Message]*sent{}, rows: map[id.User]map[id.Message]*entry{}, active: map[id.User]map[id.Stream]bool{}}
	for _, u := range users {
		n.rows[u], n.active[u] = map[id.Message]*entry{}, map[id.Stream]bool{}
	}
	return n
}

func (n *naive) subscribers(stream id.Stream) []id.User {
	users := []id.User{}
	for u, active := range n.active {
		if active[stream] {
			users = append(users, u)
		}
	}
	return users
}

// send delivers a message to everyone. It is read for accounts that see it in the client that sent it.
func (n *naive) send(m row, streams []id.Stream, members []id.User) {
	s := &sent{row: m, present: map[id.Stream][]id.User{}}
	for _, stream := range streams {
		s.present[stream] = n.subscribers(stream)
	}
	n.messages[m.ID] = s
	if m.Stream != 0 {
		members = s.present[m.Stream]
	}
	for _, u := range members {
		n.rows[u][m.ID] = &entry{received: true, unread: u != m.Sender || m.Flags&2 == 0}
	}
}

// matching returns an account's entries of matching messages, ascending.
func (n *naive) matching(u id.User, match func(m *sent, e *entry) bool) []id.Message {
	list := []id.Message{}
	for _, m := range slices.Sorted(maps.Keys(n.rows[u])) {
		if match(n.messages[m], n.rows[u][m]) {
			list = append(list, m)
		}
	}
	return list
}

// read marks matching messages as read and returns the ones that were unread.
func (n *naive) read(u id.User, match func(m *sent) bool) []id.Message {
	unread := n.matching(u, func(m *sent, e *entry) bool { return e.unread && match(m) })
	for _, m := range unread {
		n.rows[u][m].unread = false
	}
	return unread
}

// unread returns an account's unread messages. Those in streams that the account has left don't count.
func (n *naive) unread(u id.User) []id.Message {
	return n.matching(u, func(m *sent, e *entry) bool { return e.unread && (m.Stream == 0 || n.active[u][m.Stream]) })
}

// holds returns the messages that the account has.
func (n *naive) holds(u id.User, messages []id.Message) []id.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m id.Message) bool { return n.rows[u][m] == nil })
}

// move moves messages. Accounts that were subscribed to the other stream when the messages were sent have them there,
// unread only if they were unread before.
func (n *naive) move(messages []id.Message, stream id.Stream, topic string) {
	for _, number := range messages {
		m := n.messages[number]
		changes := m.Stream != stream
		m.Stream, m.Topic = stream, topic
		if !changes {
			continue
		}
		for u, rows := range n.rows {
			has := slices.Contains(m.present[stream], u)
			e := rows[number]
			switch {
			case has && e == nil:
				rows[number] = &entry{received: true}
			case has:
				e.received = true
			case e != nil && e.flagged:
				e.received, e.unread = false, false
			default:
				delete(rows, number)
			}
		}
	}
}

// flags returns the flags in events about edits of a message.
func (n *naive) flags(number id.Message) map[id.User]event.Flags {
	m := n.messages[number]
	flags := map[id.User]event.Flags{}
	for u, rows := range n.rows {
		e := rows[number]
		if e == nil && (m.Stream == 0 || !n.active[u][m.Stream]) {
			continue
		}
		flags[u] = 0
		if e == nil || !e.unread {
			flags[u] |= event.Read
		}
		if e != nil && e.starred {
			flags[u] |= event.Starred
		}
		if e != nil && !e.received {
			flags[u] |= event.Historical
		}
	}
	return flags
}

func sameTopic(a, b string) bool { return strings.EqualFold(a, b) }
