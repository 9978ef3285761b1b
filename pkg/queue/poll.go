package queue

import (
	"context"
	"errors"
	"fmt"
)

// First is the number of a queue's first entry, which stands for "nothing acknowledged yet" and is
// never delivered. Its id is [NoEvent].
const First = 1

// MaxEntries is the maximum number of a queue's entries that one poll returns; the next one returns the rest.
const MaxEntries = 1000

// PollRequest is a request for the new entries of a queue.
type PollRequest struct {
	Queue        string
	Acknowledged int64 // number of the last entry that the client has processed
	Read         int64 // number of the entry after which to read: Acknowledged, or a later one that was returned before
	TTL          int   // the queue's lifetime from now on, in seconds
}

// Status is the state of a queue for a poll.
type Status int

// The states.
const (
	// Current: the queue exists, and the acknowledgement is valid; entries may be empty.
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

// PollResult is the answer to a [PollRequest].
type PollResult struct {
	Status  Status
	Entries []Entry // ascending, without gaps; if there are MaxEntries, there may be more
}

// Poll acknowledges and reads queues of one shard, in one round trip. It returns the answers to the first of the polls, at
// least one: those after the queues that have MaxEntries entries together are left for the next call, since Redis does
// nothing else during a call. A queue whose entries can't be read is removed. replica is recorded as the one where their polls
// wait. If it was another one before, that one is notified.
func (r *Redis) Poll(ctx context.Context, shard int, replica string, polls []PollRequest) ([]PollResult, error) {
	answers, err := r.poll(ctx, shard, replica, polls)
	if err != nil {
		return nil, fmt.Errorf("poll queues of shard %d: %w", shard, err)
	}
	return answers, nil
}

func (r *Redis) poll(ctx context.Context, shard int, replica string, polls []PollRequest) ([]PollResult, error) {
	args := make([]any, 0, 2+4*len(polls))
	args = append(args, replica, MaxEntries)
	for _, p := range polls {
		args = append(args, p.Queue, p.Acknowledged, p.Read, p.TTL)
	}
	reply, err := r.call(ctx, "poll", shard, args...).Slice()
	if err != nil {
		return nil, err
	}
	if len(reply) == 0 || len(reply) > len(polls) {
		return nil, fmt.Errorf("%d answers to %d polls", len(reply), len(polls))
	}
	answers := make([]PollResult, len(reply))
	for i, answer := range reply {
		answers[i], err = readPolled(answer)
		if errors.Is(err, errUnreadable) {
			answers[i] = PollResult{Status: Gone}
			_, err = r.Unregister(ctx, shard, polls[i].Queue)
		}
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// errUnreadable reports entries of a queue that aren't what [Redis.Dispatch] appends.
var errUnreadable = errors.New("an entry of a queue can't be read")

// readPolled reads one queue's part of the answer: a status as a number, or numbers and pointers alternately.
func readPolled(answer any) (p PollResult, err error) {
	list, ok := answer.([]any)
	if !ok {
		status, err := asInt(answer)
		return PollResult{Status: Status(-status)}, err
	}
	if len(list)%2 != 0 {
		return PollResult{}, errUnreadable
	}
	p.Entries = make([]Entry, len(list)/2)
	for i := range p.Entries {
		number, numberErr := asInt(list[2*i])
		text, _ := list[2*i+1].(string)
		pointer, pointerErr := parsePointer(text)
		if err := errors.Join(numberErr, pointerErr); err != nil {
			return PollResult{}, fmt.Errorf("%w: %w", errUnreadable, err)
		}
		p.Entries[i] = Entry{number, pointer}
	}
	return p, nil
}
