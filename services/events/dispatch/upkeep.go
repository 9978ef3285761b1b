package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

const (
	// logPeriod is how often the log's partitions are maintained.
	logPeriod = 10 * time.Minute
	// expiryMargin is how much earlier events count as expiring, so that none expires between the check and the deletion.
	expiryMargin = time.Minute
	// forever keeps all events.
	forever = time.Duration(math.MaxInt64)
)

// errCatchingUp means that events which are about to be deleted are being dispatched.
var errCatchingUp = errors.New("they are being dispatched")

// maintainLog maintains the log at intervals until ctx ends.
func (d *Dispatcher) maintainLog(ctx context.Context) {
	for more := true; more; more = sleep(ctx, logPeriod) {
		d.maintainLogOnce(ctx)
	}
}

// maintainLogOnce creates the log's next partitions, and deletes those that are older than LogKeep. Nothing is deleted while it
// isn't known which events have been dispatched.
func (d *Dispatcher) maintainLogOnce(ctx context.Context) {
	keep := d.Config.LogKeep
	for shard := range d.Shards {
		if err := d.dropLate(ctx, shard); err != nil {
			keep = forever
			d.complain(ctx, "failed to look for events that were dispatched too late", err)
			break
		}
	}
	if err := d.Log.Maintain(ctx, keep); err != nil {
		d.complain(ctx, "failed to maintain the event log", err)
	}
}

// noteReached records, at a time, up to when the shard's events are dispatched.
func (s *session) noteReached(ctx context.Context, at time.Time) error {
	if oldest := s.oldest.Load(); oldest != 0 {
		at = time.Unix(0, oldest)
	}
	return s.Redis.NoteReached(ctx, s.shard, at)
}

// dropLacking drops the queues of the shard if its cursor is from so long ago that events after it may have been deleted, as in a
// Redis that was restored from an old copy, and returns the cursor from then on. The cursor itself doesn't say: there may have been
// no events since.
func (w *worker) dropLacking(ctx context.Context, cursor queue.Cursor) (queue.Cursor, error) {
	reached, ok, err := w.Redis.Reached(ctx, w.shard)
	if err != nil || !ok || w.Now().Sub(reached) <= w.Config.LogKeep {
		return cursor, err
	}
	end, err := w.Log.Of(cursor.Incarnation).End(ctx)
	if err != nil {
		return cursor, err
	}
	fresh := queue.Cursor{Incarnation: cursor.Incarnation, Place: queue.Place{Position: end}}
	dropped, err := w.Redis.Reset(ctx, w.shard, cursor, fresh)
	if err == nil && !dropped {
		err = errOvertaken
	}
	if err != nil {
		return cursor, err
	}
	w.Logger.WarnContext(ctx, "queues may lack events that were deleted; the clients of their shard have to register again",
		slog.Int("shard", w.shard), slog.Time("dispatched", reached), slog.Duration("kept", w.Config.LogKeep))
	return fresh, w.Redis.NoteReached(ctx, w.shard, w.Now())
}

// dropLate drops the queues of a shard if events that weren't dispatched are about to be deleted, for example after an outage that
// took longer than LogKeep. Without an error their clients would go on without these events.
func (d *Dispatcher) dropLate(ctx context.Context, shard int) error {
	cursor, ok, err := d.Redis.Cursor(ctx, shard)
	if err != nil || !ok {
		return err
	}
	log, first := d.Log.Of(cursor.Incarnation), cursor.After()
	for _, b := range cursor.Behind {
		if b.After().Before(first) {
			first = b.After()
		}
	}
	late, err := log.HasExpiring(ctx, shard, first, max(0, d.Config.LogKeep-expiryMargin))
	if errors.Is(err, store.ErrOtherHistory) {
		return nil // dispatching begins by dropping its queues
	}
	if err != nil || !late {
		return err
	}
	end, err := log.End(ctx)
	if err != nil {
		return err
	}
	dropped, err := d.Redis.Reset(ctx, shard, cursor, queue.Cursor{Incarnation: cursor.Incarnation, Place: queue.Place{Position: end}})
	switch {
	case err != nil:
		return err
	case !dropped:
		return errCatchingUp
	}
	d.Logger.ErrorContext(ctx, "events are deleted before they were dispatched; the clients of their shard have to register again",
		slog.Int("shard", shard), slog.Duration("kept", d.Config.LogKeep))
	return nil
}
