package queue

import (
	"context"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
)

// Pace is the least time between a waker's publications.
const Pace = pace

// PointerText is the form that Redis keeps.
func PointerText(at store.Position, flags event.Flags, localID string) string {
	return ref(at) + " " + copyText(flags, localID)
}

// ParsePointer reads it.
func ParsePointer(text string) (Pointer, error) { return parsePointer(text) }

// ParseCursor reads what Cursor.String returns.
func ParseCursor(text string) (Cursor, error) { return parseCursor(text) }

// Deliver reads a message of a wake channel.
func Deliver(ctx context.Context, shard int, payload string, l Listener) error {
	return deliver(ctx, shard, payload, l)
}

// SetSilence sets how long a subscription may say nothing.
func (r *Redis) SetSilence(d time.Duration) { r.silence = d }
