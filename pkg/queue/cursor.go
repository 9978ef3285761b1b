package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// ErrUnreadableCursor reports that a shard's cursor has an unknown form, that of another release.
var ErrUnreadableCursor = errors.New("the cursor can't be read")

// Place is how far a log has been dispatched.
type Place struct {
	store.Position
	// Through is 0 when the event at the position is dispatched to all its queues; otherwise only to
	// those of its queues with numbers up to this.
	Through int64
}

// After returns the position after which to read the log: before the event if it is dispatched in part.
func (p Place) After() store.Position {
	if p.Through > 0 {
		return store.Position{Xid: p.Xid, ID: p.ID - 1}
	}
	return p.Position
}

// Behind is an organization whose events are dispatched less far than the others of its shard.
type Behind struct {
	Org id.Org
	Place
}

// Cursor is how far a shard's log is dispatched: the events of each organization that is behind up to its own
// place, all others up to the shard's.
type Cursor struct {
	// Incarnation is the database history that the positions belong to (store.Log.Incarnation).
	Incarnation string
	Place
	// Behind is in the order of ids, each once. No place is beyond the shard's.
	Behind []Behind
}

// Equal reports whether two cursors are the same.
func (c Cursor) Equal(other Cursor) bool {
	return c.Incarnation == other.Incarnation && c.Place == other.Place && slices.Equal(c.Behind, other.Behind)
}

// String returns the form that is stored in Redis.
func (c Cursor) String() string {
	text := fmt.Appendf(nil, "%s %d %d %d", c.Incarnation, c.Xid, c.ID, c.Through)
	for _, b := range c.Behind {
		text = fmt.Appendf(text, " %d:%d:%d:%d", b.Org, b.Xid, b.ID, b.Through)
	}
	return string(text)
}

// parseCursor parses the exact form that String returns.
func parseCursor(text string) (Cursor, error) {
	unreadable := fmt.Errorf("%w: %q", ErrUnreadableCursor, text)
	fields := strings.Split(text, " ")
	if len(fields) < 4 || fields[0] == "" {
		return Cursor{}, unreadable
	}
	at, ok := parsePlace(fields[1:4])
	if !ok {
		return Cursor{}, unreadable
	}
	c, last := Cursor{Incarnation: fields[0], Place: at}, id.Org(0)
	for _, field := range fields[4:] {
		number, rest, _ := strings.Cut(field, ":")
		org, err := strconv.ParseUint(number, 10, 63)
		b := Behind{Org: id.Org(org)}
		if b.Place, ok = parsePlace(strings.Split(rest, ":")); !ok || err != nil || b.Org <= last || c.Before(b.Position) {
			return Cursor{}, unreadable
		}
		c.Behind, last = append(c.Behind, b), b.Org
	}
	if c.String() != text { // "+1", "01"
		return Cursor{}, unreadable
	}
	return c, nil
}

func parsePlace(fields []string) (p Place, ok bool) {
	if len(fields) != 3 {
		return Place{}, false
	}
	xid, xidErr := strconv.ParseUint(fields[0], 10, 64)
	number, numberErr := strconv.ParseUint(fields[1], 10, 63)
	through, throughErr := strconv.ParseUint(fields[2], 10, 63)
	p = Place{Position: store.Position{Xid: xid, ID: int64(number)}, Through: int64(through)}
	return p, errors.Join(xidErr, numberErr, throughErr) == nil
}

// Cursor returns a shard's cursor; ok is false if it has none. It fails with [ErrUnreadableCursor] if another
// release wrote it in an unknown form.
func (r *Redis) Cursor(ctx context.Context, shard int) (c Cursor, ok bool, err error) {
	text, err := r.client.Get(ctx, prefix(shard)+":cursor").Result()
	if isNil(err) || r.repaired(ctx, shard, err) {
		return Cursor{}, false, nil
	}
	if err == nil {
		c, err = parseCursor(text)
	}
	if err != nil {
		return Cursor{}, false, fmt.Errorf("read cursor of shard %d: %w", shard, err)
	}
	return c, true, nil
}

// NoteReached records that the events of a shard that were created before a time are dispatched.
func (r *Redis) NoteReached(ctx context.Context, shard int, at time.Time) error {
	if err := r.client.Set(ctx, prefix(shard)+":reached", at.Unix(), 0).Err(); err != nil {
		return fmt.Errorf("record how far shard %d is dispatched: %w", shard, err)
	}
	return nil
}

// Reached returns the time that [Redis.NoteReached] has recorded last; ok is false if there is none that can be read.
func (r *Redis) Reached(ctx context.Context, shard int) (at time.Time, ok bool, err error) {
	text, err := r.client.Get(ctx, prefix(shard)+":reached").Result()
	if isNil(err) || redis.HasErrorPrefix(err, "WRONGTYPE") {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("read how far shard %d is dispatched: %w", shard, err)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err == nil, nil
}

// StartCursor sets the cursor of a shard that has none, and drops the queues that the shard may still have: nobody knows
// which events they lack.
func (r *Redis) StartCursor(ctx context.Context, shard int, c Cursor) error {
	_, err := r.reset(ctx, shard, "", c)
	return err
}

// Reset drops all queues of a shard and sets its cursor, if that is still the expected one. It reports whether it was. If it
// fails, some queues may be dropped.
func (r *Redis) Reset(ctx context.Context, shard int, expected, c Cursor) (done bool, err error) {
	return r.reset(ctx, shard, expected.String(), c)
}

func (r *Redis) reset(ctx context.Context, shard int, expected string, c Cursor) (done bool, err error) {
	const perCall, more = 250, 2 // bounds how long Redis is busy with one call
	for {
		reply, err := r.call(ctx, "reset", shard, expected, c.String(), perCall).Int()
		if err != nil || reply != more {
			return reply == 1, err
		}
	}
}
