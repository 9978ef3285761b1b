package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// call is a call to Redis that is being prepared for a line, and how to revert its preparation in this process.
type call struct {
	line    *line
	at      queue.Place // the line's place after the call
	count   int         // the number of the line's events that the call completes
	rest    []delivery  // deliveries of the next event that are left for the next call
	left    []*line     // the organizations that the main line leaves behind by this call
	last    bool        // the line's organization isn't behind after the call
	to      queue.Cursor
	appends []queue.Append
	size    int // of the appends, in queues
	applied []func()
	lacking []*queue.Queue   // of accounts that become active again; they may lack what was sent meanwhile
	traced  []store.LogEntry // the events with a trace that are in all their queues after the call
}

// advance makes one call for a line.
func (s *session) advance(ctx context.Context, l *line) error {
	err := s.deliverSome(ctx, l)
	if reason := (undeliverable{}); errors.As(err, &reason) {
		return s.giveUp(ctx, l, reason)
	}
	return err
}

// deliverSome makes one Redis call for the line's next events, as many as fit, or for a part of one event. It fails
// with an [undeliverable] if the first of them can't be delivered.
func (s *session) deliverSome(ctx context.Context, l *line) error {
	c, err := s.prepare(ctx, l)
	if errors.Is(err, errLoading) {
		return nil
	}
	if err != nil {
		return err
	}
	// If there are any, the call is refused, since the registry has changed, and is prepared again.
	for _, q := range c.lacking {
		if _, err := s.Redis.Unregister(ctx, s.shard, q.ID); err != nil {
			return err
		}
	}
	c.to = s.cursorAfter(c)
	s.Failpoints.Meet(failpoint.BeforeDispatch)
	outcome, gone, err := s.Redis.Dispatch(ctx, s.shard, s.cursor, c.to, s.version, c.appends)
	switch {
	case errors.Is(err, queue.ErrRefused) && (l.alone || len(l.entries) == 1):
		return undeliverable{err}
	case errors.Is(err, queue.ErrRefused) && len(l.entries) > 0: // one of the events is the cause
		c.takeBack()
		l.alone, l.rest = true, nil
		return nil
	case err != nil:
		return err
	}
	switch outcome {
	case queue.CursorMoved:
		return errOvertaken
	case queue.RegistryChanged:
		c.takeBack()
		return s.refresh(ctx)
	case queue.Done:
	}
	s.Failpoints.Meet(failpoint.AfterDispatch)
	if slices.ContainsFunc(l.entries[:c.count], func(entry store.LogEntry) bool { return entry.Position == s.failing }) {
		s.tries = 0 // it was delivered after all
	}
	s.done(c)
	for _, entry := range c.traced {
		s.trace(ctx, entry)
	}
	if len(gone) > 0 {
		for _, name := range gone {
			s.remove(name)
		}
		if err := s.Redis.Forget(ctx, s.shard, gone); err != nil {
			s.Logger.WarnContext(ctx, "failed to remove expired queues", slog.Any("error", err))
		}
	}
	return nil
}

// prepare prepares a call for the line's next events, as many as fit, or for a part of one event. It fails with an
// [undeliverable] if the first event can't be delivered.
func (s *session) prepare(ctx context.Context, l *line) (*call, error) {
	c := &call{line: l, at: l.at}
	if l != s.main && s.indexes[l.org] == nil {
		c.count, c.last = len(l.entries), true // the organization has no queues
		return c, nil
	}
	for _, entry := range l.entries {
		if c.count > 0 && l.alone {
			break
		}
		done, err := s.prepareNext(ctx, c, entry)
		if err != nil {
			return nil, err
		}
		if !done {
			break
		}
	}
	if c.count == len(l.entries) {
		if l == s.main {
			c.at.Position = l.read
		} else {
			// The rest of a batch was read without the organization's events, so it stays behind until the batch ends.
			c.last = len(s.main.entries) == 0 && !l.read.Before(s.main.at.Position)
		}
	}
	return c, nil
}

// prepareNext adds the line's next event to a call. It reports whether the call completes it, rather than leaving it, or a part
// of it, for the next call.
func (s *session) prepareNext(ctx context.Context, c *call, entry store.LogEntry) (done bool, err error) {
	isMain := c.line == s.main
	if isMain && s.isBehind(c, entry.Org) {
		c.pass(entry)
		return true, nil
	}
	to, err := s.recipients(ctx, c, entry)
	wait := isMain && errors.Is(err, errLoading)
	if reason := (undeliverable{}); c.count > 0 && errors.As(err, &reason) {
		return false, nil // the next call begins with it
	}
	if err != nil && !wait {
		return false, err
	}
	if wait || s.leavesBehind(c, entry.Org, len(to)) {
		left := newLine(entry.Org, c.at)
		left.oldest = entry.Created
		c.left = append(c.left, left)
		c.pass(entry)
		return true, nil
	}
	room := queue.MaxAppends - c.size
	if len(to) > room && c.size > 0 {
		return false, nil // the next call begins with it
	}
	part := to[:min(room, len(to))]
	s.append(c, entry, part)
	if len(part) < len(to) {
		c.at = queue.Place{Position: entry.Position, Through: part[len(part)-1].queue.Number}
		c.rest = to[len(part):]
		return false, nil
	}
	s.spent[entry.Org]++
	s.apply(c, entry)
	if s.Tracer != nil && entry.Trace != "" {
		c.traced = append(c.traced, entry)
	}
	c.pass(entry)
	return true, nil
}

// pass moves the line past an event.
func (c *call) pass(entry store.LogEntry) {
	c.at = queue.Place{Position: entry.Position}
	c.count++
}

// append adds deliveries of an event to a call, which has room for them.
func (s *session) append(c *call, entry store.LogEntry, to []delivery) {
	if len(to) == 0 {
		return
	}
	payload := []byte(entry.Payload)
	s.Payloads.Put(entry.Position, entry.Org, payload, entry.Created)
	if c.line.isWithin(entry) {
		payload = nil // the previous call has stored it
	}
	c.appends = append(c.appends, appends(entry.Position, payload, to)...)
	c.size += len(to)
	s.spent[entry.Org] += len(to)
}

// takeBack restores the rosters as they were before the call.
func (c *call) takeBack() {
	for _, undo := range slices.Backward(c.applied) {
		undo()
	}
}

// recipients returns the deliveries of an event that are still to be made. It fails with an [undeliverable] or
// [errLoading].
func (s *session) recipients(ctx context.Context, c *call, entry store.LogEntry) ([]delivery, error) {
	l := c.line
	if s.indexes[entry.Org] == nil {
		return nil, nil
	}
	if entry.Broken != nil {
		return nil, undeliverable{entry.Broken}
	}
	if l.isWithin(entry) {
		return l.rest, nil
	}
	r, err := s.rosterBefore(ctx, c, entry)
	if errors.Is(err, store.ErrBroken) {
		return nil, undeliverable{err}
	}
	if err != nil {
		return nil, err
	}
	to, err := r.fanout(entry)
	if err == nil && len(to) > 0 {
		err = checkReadable(entry)
	}
	if err != nil {
		return nil, undeliverable{err}
	}
	if len(to) > 0 {
		s.active.Note(entry.Org, s.Now())
	}
	if l.at.Through > 0 && l.at.Position == entry.Position {
		to = slices.DeleteFunc(to, func(d delivery) bool { return d.queue.Number <= l.at.Through })
	}
	return to, nil
}

// apply applies the change of an event to the roster, and notes which queues end with it.
func (s *session) apply(c *call, entry store.LogEntry) {
	r := s.rosters[entry.Org]
	if r == nil || entry.Change == nil {
		return
	}
	change := *entry.Change
	for _, a := range change.Accounts {
		if a.Before != nil && !a.Before.Active && a.After.Active {
			c.lacking = append(c.lacking, r.queues.byUser[a.User]...)
		}
	}
	r.apply(change)
	c.applied = append(c.applied, func() { r.undo(change) })
}

// trace records a span from when the event was created until now.
func (s *session) trace(ctx context.Context, entry store.LogEntry) {
	caller := propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": entry.Trace})
	_, span := s.Tracer.Start(caller, "dispatch "+entry.Type, trace.WithTimestamp(entry.Created), trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.Int64("chatserver.organization", int64(entry.Org)), attribute.Int("chatserver.shard", s.shard)))
	span.End(trace.WithTimestamp(s.Now()))
}
