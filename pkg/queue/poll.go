package queue

import (
	"context"
	"fmt"
)

// First is the number of a queue's first entry, which stands for "nothing acknowledged yet" and is
// never delivered. Clients know it as [NoEvent].
const First = 1

// MaxEntries is the maximum number of a queue's entries that one poll returns; the next one returns the rest.
const MaxEntries = 1000

// Poll asks for what is new in a queue.
type Poll struct {
	Queue        string
	Acknowledged int64 // number of the entry that the client has processed, with all before it
	Read         int64 // number of the entry to read behind: Acknowledged, or one that the queue returned since
	TTL          int   // seconds that the queue lives from now on
}

// Status is the state of a queue for a poll.
type Status int

// What a poll can meet.
const (
	// Current: the queue is there, and what the client acknowledged fits; entries may be empty.
	Current Status = iota
	// Gone: there is no such queue.
	Gone
	// Ahead: the queue never had the entry that the client acknowledged.
	Ahead
	// Pruned: a newer entry was acknowledged before, or the queue overflowed.
	Pruned
)

// Entry is one entry of a queue.
type Entry struct {
	Number int64
	Pointer
}

// Polled is the answer to a [Poll].
type Polled struct {
	Status  Status
	Entries []Entry // ascending, without gaps; there may be more when these are MaxEntries
}

// Poll acknowledges and reads queues of one shard, in one round trip. replica is noted as the one
// where they wait; if another one was recorded, that one is notified.
func (r *Redis) Poll(ctx context.Context, shard int, replica string, polls []Poll) ([]Polled, error) {
	args := make([]any, 0, 2+4*len(polls))
	args = append(args, replica, MaxEntries)
	for _, p := range polls {
		args = append(args, p.Queue, p.Acknowledged, p.Read, p.TTL)
	}
	reply, err := r.call(ctx, "poll", shard, ":cursor", args...).Slice()
	if err != nil {
		return nil, err
	}
	if len(reply) != len(polls) {
		return nil, fmt.Errorf("poll queues of shard %d: %d answers to %d polls", shard, len(reply), len(polls))
	}
	answers := make([]Polled, len(polls))
	for i, answer := range reply {
		if answers[i], err = readPolled(answer); err != nil {
			return nil, fmt.Errorf("poll queues of shard %d: %w", shard, err)
		}
	}
	return answers, nil
}

// readPolled reads one queue's part of the answer: a number for a status, or numbers and pointers in turns.
func readPolled(answer any) (p Polled, err error) {
	list, ok := answer.([]any)
	if !ok {
		status, err := asInt(answer)
		return Polled{Status: Status(-status)}, err
	}
	p.Entries = make([]Entry, len(list)/2)
	for i := range p.Entries {
		if p.Entries[i].Number, err = asInt(list[2*i]); err != nil {
			return Polled{}, err
		}
		text, _ := list[2*i+1].(string)
		if p.Entries[i].Pointer, err = parsePointer(text); err != nil {
			return Polled{}, err
		}
	}
	return p, nil
}
