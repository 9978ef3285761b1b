package dispatch

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Fanout returns the queues that an event enters, each with its flags and local id, as text.
func Fanout(accounts map[id.User]event.Account, subscriptions []event.Membership, queues []queue.Queue, entry store.LogEntry) []string {
	r := &roster{accounts: accounts, queues: newQueueIndex()}
	r.subscribers = map[id.Stream]*roaring64.Bitmap{}
	r.apply(event.Change{Subscribed: subscriptions})
	for _, q := range queues {
		r.queues.add(&q)
	}
	texts := []string{}
	to, err := r.fanout(entry)
	if err != nil {
		return []string{err.Error()}
	}
	for _, d := range to {
		texts = append(texts, fmt.Sprintf("%s %d %s", d.queue.ID, d.flags, d.localID))
	}
	return texts
}

// MaxReads is the maximum number of rosters that are read at a time.
const MaxReads = maxReads

// UnusedGap is the minimum time between two reads of a log of which nobody has a queue.
const UnusedGap = unusedGap

// Dispatch dispatches a shard without its lease.
func (d *Dispatcher) Dispatch(ctx context.Context, shard int) error {
	return d.shards[shard].dispatch(ctx)
}

// MaintainLog maintains the log once.
func (d *Dispatcher) MaintainLog(ctx context.Context) { d.maintainLogOnce(ctx) }

// NoteUse notes once that the server uses the database.
func (d *Dispatcher) NoteUse(ctx context.Context) { d.noteUseOnce(ctx) }

// Sweep removes the remains of a shard's expired queues.
func (d *Dispatcher) Sweep(ctx context.Context, shard int) error {
	s := newSession(d.shards[shard], queue.Cursor{})
	if err := s.readRegistry(ctx); err != nil {
		return err
	}
	return s.sweep(ctx)
}
