package property_test

import (
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
)

// rewrite replaces a message's content (events.md, section 4.5).
func (m *model) rewrite(h *history, of *message, body text) {
	of.wildcard = body.wildcard
	for user, rows := range m.rows {
		if r := rows[of.id]; r != nil {
			marks := m.marks(h, user, body)
			r.flags, r.kept = r.flags&^(event.Mentioned|event.HasAlertWord)|marks, r.kept || marks != 0
		}
	}
}

// leaveBehind removes the flags of moved messages for accounts that lose access to them, and returns the accounts.
func (m *model) leaveBehind(from *stream, moved []int64, to *stream) []int64 {
	behind := []int64{}
	for _, user := range m.everybody() {
		has := slices.ContainsFunc(moved, func(number int64) bool { return m.rows[user][number] != nil })
		guest := has && m.roles[user] >= actor.Guest
		if to.subscribed[user] || !from.subscribed[user] && !guest {
			continue
		}
		behind = append(behind, user)
		for _, number := range moved {
			if r := m.rows[user][number]; r != nil {
				r.flags, r.kept = 0, false
				if !r.received {
					delete(m.rows[user], number)
				}
			}
		}
	}
	return behind
}

// move moves messages (docs/decisions/0009-read-state.md).
func (m *model) move(numbers []int64, stream int64, topic string) {
	for _, number := range numbers {
		moved := m.messages[number]
		elsewhere := moved.stream != stream
		moved.stream = stream
		if topic != "" {
			moved.topic = topic
		}
		if !elsewhere {
			continue
		}
		for user, rows := range m.rows {
			r, has := rows[number], slices.Contains(moved.present[stream], user)
			switch {
			case has && r == nil:
				rows[number] = &row{received: true}
			case has:
				r.received = true
			case r != nil && r.kept:
				r.received, r.unread = false, false
			default:
				delete(rows, number)
			}
		}
	}
}

// remove deletes messages.
func (m *model) remove(numbers []int64) {
	for _, number := range numbers {
		delete(m.messages, number)
		for _, rows := range m.rows {
			delete(rows, number)
		}
	}
}

// join adds subscriptions.
func (m *model) join(s *stream, users ...int64) {
	for _, user := range users {
		s.subscribed[user] = true
		m.expect(user, "subscription add [%d]", s.id)
	}
	for _, user := range users {
		m.tellPeers(s, "peer_add", user, users)
	}
}

// tellPeers records one of the events of changed subscriptions for the accounts that have access to the stream and
// whose own subscriptions didn't change (events.md, sections 3.1, PEERS, and 7, row 18).
func (m *model) tellPeers(s *stream, op string, changed int64, altered []int64) {
	for _, user := range m.everybody() {
		sees := s.subscribed[user] || m.roles[user].IsAdmin() || !s.private && m.roles[user] < actor.Guest
		if sees && !slices.Contains(altered, user) {
			m.expect(user, "subscription %s %d to %d", op, changed, s.id)
		}
	}
}

// leave ends a subscription. The stream's messages aren't unread for the account anymore.
func (m *model) leave(user int64, s *stream) {
	delete(s.subscribed, user)
	m.expect(user, "subscription remove [%d]", s.id)
	if read := m.markRead(user, func(of *message) bool { return of.stream == s.id }); len(read) > 0 {
		m.tellFlags(user, "add", "read", read, false)
	}
	m.tellPeers(s, "peer_remove", user, []int64{user})
}
