package queue

import (
	"context"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
)

// Pace is the minimum time between publications of a waker.
const Pace = pace

// PointerText returns the form in Redis.
func PointerText(at store.Position, flags event.Flags, localID string) string {
	return ref(at) + " " + copyText(flags, localID)
}

// ParsePointer parses it.
func ParsePointer(text string) (Pointer, error) { return parsePointer(text) }

// ParseCursor parses the result of Cursor.String.
func ParseCursor(text string) (Cursor, error) { return parseCursor(text) }

// Deliver processes a message of a wake channel.
func Deliver(ctx context.Context, shard int, payload string, l Listener) error {
	return deliver(ctx, shard, payload, l)
}

// SetSilence sets the time after which a silent subscription is replaced.
func (r *Redis) SetSilence(d time.Duration) { r.silence = d }
