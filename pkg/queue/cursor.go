package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"chatserver.dev/pkg/store"
)

// Cursor is how far a shard's log is dispatched.
type Cursor struct {
	// Incarnation is the database history that the position belongs to (store.Log.Incarnation).
	Incarnation string
	store.Position
	// Through is 0 when the event at the position is dispatched to all its queues; otherwise only to
	// those of its queues with numbers up to this.
	Through int64
}

// After is the position to read the log from: before the event if it is dispatched in part.
func (c Cursor) After() store.Position {
	if c.Through > 0 {
		return store.Position{Xid: c.Xid, ID: c.ID - 1}
	}
	return c.Position
}

// String is the form that Redis keeps.
func (c Cursor) String() string {
	return fmt.Sprintf("%s %d %d %d", c.Incarnation, c.Xid, c.ID, c.Through)
}

func parseCursor(text string) (Cursor, error) {
	c := Cursor{}
	fields := strings.Fields(text)
	if len(fields) != 4 {
		return Cursor{}, fmt.Errorf("%q is no cursor", text)
	}
	c.Incarnation = fields[0]
	var xidErr, idErr, throughErr error
	c.Xid, xidErr = strconv.ParseUint(fields[1], 10, 64)
	c.ID, idErr = strconv.ParseInt(fields[2], 10, 64)
	c.Through, throughErr = strconv.ParseInt(fields[3], 10, 64)
	if err := errors.Join(xidErr, idErr, throughErr); err != nil {
		return Cursor{}, fmt.Errorf("%q is no cursor: %w", text, err)
	}
	return c, nil
}

// Cursor gives a shard's cursor; ok is false where it has none.
func (r *Redis) Cursor(ctx context.Context, shard int) (c Cursor, ok bool, err error) {
	text, err := r.client.Get(ctx, prefix(shard)+":cursor").Result()
	if isNil(err) {
		return Cursor{}, false, nil
	}
	if err != nil {
		return Cursor{}, false, fmt.Errorf("read cursor of shard %d: %w", shard, err)
	}
	c, err = parseCursor(text)
	return c, err == nil, err
}

// StartCursor sets the cursor of a shard that has none.
func (r *Redis) StartCursor(ctx context.Context, shard int, c Cursor) error {
	if err := r.client.SetNX(ctx, prefix(shard)+":cursor", c.String(), 0).Err(); err != nil {
		return fmt.Errorf("start cursor of shard %d: %w", shard, err)
	}
	return nil
}

// Reset drops all queues of a shard and sets its cursor, if that is still the expected one.
func (r *Redis) Reset(ctx context.Context, shard int, expected, c Cursor) error {
	if err := r.call(ctx, "reset", shard, ":cursor", expected.String(), c.String()).Err(); err != nil {
		return fmt.Errorf("reset shard %d: %w", shard, err)
	}
	return nil
}
