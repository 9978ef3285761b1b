package dispatch

import (
	"cmp"
	"iter"
	"slices"

	"chatserver.dev/pkg/event"
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
	facts := messageFacts{payload: entry.Payload}
	a := r.audience(entry.Audience)
	receivers, most := r.receivers(a)
	to := make([]delivery, 0, most)
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
	for q := range receivers {
		add(q, a.Flags|a.FlagsOf[q.User])
	}
	if a.Public {
		for _, q := range r.queues.wide {
			account := r.accounts[q.User]
			if !r.receives(q.User, a) && !a.except[q.User] && account.Active && mayReadPublic(account) {
				add(q, 0)
			}
		}
	}
	slices.SortFunc(to, byNumber) // takes little time if they are in order
	return to, facts.err
}

func byNumber(x, y delivery) int { return cmp.Compare(x.queue.Number, y.queue.Number) }

// receivers returns the queues of the accounts that receive an event, and about how many there are at most. It iterates
// over the smaller of two sets, the audience and the queues. The latter are in the order of their numbers.
func (r *roster) receivers(a *audience) (queues iter.Seq[*queue.Queue], most int) {
	live := r.queues
	listed := len(a.users)
	if a.subscribers != nil {
		listed += int(min(a.subscribers.GetCardinality(), 1<<31))
	}
	if a.Everyone || a.NonGuests || a.Admins || a.Outsiders != 0 || listed >= len(live.byUser) {
		return func(yield func(*queue.Queue) bool) {
			for _, q := range live.all {
				if r.receives(q.User, a) && !yield(q) {
					return
				}
			}
		}, len(live.all)
	}
	return func(yield func(*queue.Queue) bool) {
		for user := range a.listed() {
			queues := live.byUser[user]
			if queues == nil || !r.receives(user, a) {
				continue
			}
			for _, q := range queues {
				if !yield(q) {
					return
				}
			}
		}
	}, min(listed, len(live.all))
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

// appends groups deliveries for a Redis call: each group gets the same copy of an event.
func appends(at store.Position, payload []byte, to []delivery) []queue.Append {
	type copied struct {
		flags   event.Flags
		localID string
	}
	index := map[copied]int{}
	groups := []queue.Append(nil)
	last, i := copied{}, -1
	for n, d := range to {
		if key := (copied{d.flags, d.localID}); key != last || i < 0 { // usually, most have the same
			var known bool
			if i, known = index[key]; !known {
				i = len(groups)
				index[key] = i
				groups = append(groups, queue.Append{Event: at, Flags: d.flags, LocalID: d.localID})
			}
			last = key
		}
		if groups[i].Queues == nil {
			groups[i].Queues = make([]string, 0, len(to)-n)
		}
		groups[i].Queues = append(groups[i].Queues, d.queue.ID)
	}
	if len(groups) > 0 {
		groups[0].Payload = payload
	}
	return groups
}
