package waiting

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Limits of the memory of answers, in bytes of payloads unless noted.
const (
	// pollBytes is about the maximum size of the answer to a poll; the next poll gets the rest.
	pollBytes = 4 << 20
	// roundBytes is the maximum size of events that are read for a batch of polls. Redis is asked again about polls
	// without an event after that.
	roundBytes = 16 << 20
	// maxEvents is the number of events that are read at a time; at least minEvents for each poll.
	maxEvents, minEvents = 512, 8
)

// resolved is an answer that is being built.
type resolved struct {
	Answer

	org  id.Org     // the queue's
	left []Delivery // entries that the answer doesn't have
	size int        // of the events in it
}

// isCut reports whether entries are left for later.
func (a *resolved) isCut() bool {
	return len(a.left) > 0 && !a.Lost && a.Err == nil
}

// wants returns how many of its entries are to be read next.
func (a *resolved) wants(limit int) int {
	if !a.isCut() || a.size >= pollBytes {
		return 0
	}
	return min(limit, len(a.left))
}

// resolve converts the results of Redis to answers. It skips entries that the clients' initial states contain, and
// reads the events of the others up to the limits.
func (r *Room) resolve(ctx context.Context, number int, polls []*Poll, polled []queue.PollResult) []resolved {
	answers := make([]resolved, len(polls))
	for i, p := range polls {
		answers[i].Status, answers[i].org = polled[i].Status, p.queue.Org
		for _, entry := range polled[i].Entries {
			if !p.queue.has(entry.Pointer) {
				answers[i].left = append(answers[i].left, Delivery{Number: entry.Number, Pointer: entry.Pointer})
			}
		}
	}
	read, each := 0, max(minEvents, maxEvents/len(polls))
	for read < roundBytes {
		wanted := []store.Position(nil)
		for i := range answers {
			for _, d := range answers[i].left[:answers[i].wants(each)] {
				wanted = append(wanted, d.Pointer.Event)
			}
		}
		if len(wanted) == 0 {
			break
		}
		events, err := r.Payloads.Get(ctx, number, wanted)
		for _, e := range events {
			if e != nil {
				read += e.Length()
			}
		}
		for i := range answers {
			answers[i].fill(answers[i].wants(each), events, err)
		}
	}
	return answers
}

// fill adds the events of the next entries, up to the limit of an answer.
func (a *resolved) fill(count int, events map[store.Position]*event.Recorded, err error) {
	if count > 0 && err != nil {
		a.Answer = Answer{Err: err}
		return
	}
	for range count {
		if a.size >= pollBytes {
			return
		}
		d := a.left[0]
		if d.Event = events[d.Pointer.Event]; !isOf(a.org, d.Event) {
			a.Answer = Answer{Lost: true}
			return
		}
		a.left = a.left[1:]
		a.Events = append(a.Events, d)
		a.size += d.Event.Length()
	}
}
