package dispatch

import (
	"slices"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// delivery is one event for one queue.
type delivery struct {
	queue   *queue.Queue
	flags   event.Flags
	localID string
}

// fanout returns the deliveries of an event, in the order of the queues' numbers. It fails if they can't be determined,
// because the payload isn't a message.
func (r *roster) fanout(entry store.LogEntry) ([]delivery, error) {
	to := []delivery(nil)
	facts := messageFacts{payload: entry.Payload}
	a := r.audience(entry.Audience)
	add := func(q *queue.Queue, flags event.Flags) {
		if !q.Accepts(entry.Type) || a.Deletion != "" && (a.Deletion == event.InBulk) != q.Form.BulkDeletion || len(q.Narrow) > 0 && entry.Type == "message" && !matches(q.Narrow, facts.get(), flags) {
			return
		}
		d := delivery{queue: q, flags: flags}
		if q.ID == a.Queue {
			d.localID = a.LocalID
		}
		to = append(to, d)
	}
	for user, queues := range r.receivers(a) {
		flags := a.Flags | a.FlagsOf[user]
		for _, q := range queues {
			add(q, flags)
		}
	}
	if a.Public {
		for _, q := range r.queues.wide {
			account := r.accounts[q.User]
			if !r.receives(q.User, a) && !a.except[q.User] && account.Active && mayReadPublic(account) {
				add(q, 0)
			}
		}
	}
	slices.SortFunc(to, func(x, y delivery) int { return int(x.queue.Number - y.queue.Number) })
	return to, facts.err
}

// receivers returns the accounts that receive an event, with their queues. It iterates over the smaller of two sets,
// the audience and the accounts with queues.
func (r *roster) receivers(a *audience) func(yield func(id.User, []*queue.Queue) bool) {
	live := r.queues.byUser
	listed := len(a.users)
	if a.subscribers != nil {
		listed += int(min(a.subscribers.GetCardinality(), 1<<31))
	}
	if a.Everyone || a.NonGuests || a.Admins || a.Outsiders != 0 || listed > len(live) {
		return func(yield func(id.User, []*queue.Queue) bool) {
			for user, queues := range live {
				if r.receives(user, a) && !yield(user, queues) {
					return
				}
			}
		}
	}
	return func(yield func(id.User, []*queue.Queue) bool) {
		for user := range a.users {
			if queues := live[user]; queues != nil && r.receives(user, a) && !yield(user, queues) {
				return
			}
		}
		if a.subscribers == nil {
			return
		}
		for members := a.subscribers.Iterator(); members.HasNext(); {
			user := id.User(members.Next())
			if queues := live[user]; queues != nil && !a.users[user] && r.receives(user, a) && !yield(user, queues) {
				return
			}
		}
	}
}

// mayReadPublic reports whether an account may read public streams that it isn't subscribed to.
func mayReadPublic(a event.Account) bool { return !a.Role.IsGuest() }

// messageFacts parses a message's facts when they are first used: few queues have narrows.
type messageFacts struct {
	payload string
	read    bool
	facts   event.MessageFacts
	err     error
}

func (m *messageFacts) get() event.MessageFacts {
	if !m.read {
		m.read = true
		facts, ok := event.ParseMessageFacts([]byte(m.payload))
		if m.facts = facts; !ok {
			m.err = errNoMessage
		}
	}
	return m.facts
}

// matches reports whether a message matches a queue's narrow (events.md, section 2.9).
func matches(narrow [][2]string, m event.MessageFacts, flags event.Flags) bool {
	for _, term := range narrow {
		if !matchesTerm(term[0], term[1], m, flags) {
			return false
		}
	}
	return true
}

func matchesTerm(operator, operand string, m event.MessageFacts, flags event.Flags) bool {
	switch operator {
	case "stream":
		return m.Type == "stream" && strings.EqualFold(operand, m.Stream())
	case "topic":
		return m.Type == "stream" && strings.EqualFold(operand, m.Subject)
	case "sender":
		return strings.EqualFold(operand, m.SenderEmail)
	case "is":
		switch operand {
		case "private":
			return m.Type == "private"
		case "unread":
			return flags&event.Read == 0
		case "starred":
			return flags&event.Starred != 0
		case "mentioned":
			return flags&(event.Mentioned|event.WildcardMentioned) != 0
		case "alerted":
			return flags&(event.HasAlertWord|event.Mentioned) != 0
		}
	}
	return false
}

// appends groups deliveries for a Redis call: each group gets the same copy of an event.
func appends(at store.Position, payload []byte, to []delivery) []queue.Append {
	type copied struct {
		flags   event.Flags
		localID string
	}
	index := map[copied]int{}
	groups := []queue.Append(nil)
	for _, d := range to {
		key := copied{d.flags, d.localID}
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, queue.Append{Event: at, Flags: d.flags, LocalID: d.localID})
			if i == 0 {
				groups[i].Payload = payload
			}
		}
		groups[i].Queues = append(groups[i].Queues, d.queue.ID)
	}
	return groups
}
