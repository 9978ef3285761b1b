package inbox

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mark"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Moved are messages that were moved from one topic to another.
type Moved struct {
	FromStream id.Stream
	FromTopic  string
	ToStream   id.Stream
	ToTopic    string
	Messages   []id.Message // whose rows say already where they are now
}

// MoveMarks keeps for everybody which of the messages are read (docs/decisions/0009-read-state.md).
// Those who have them only by the move have them as read. It belongs to the transaction that moved
// them, which holds the lock on the destination's subscriptions; it makes all wait who mark messages,
// so it comes late.
func MoveMarks(ctx context.Context, tx *store.Tx, m Moved) error {
	if err := mark.LockAll(ctx, tx); err != nil {
		return err
	}
	err := tx.MoveMarks(ctx, sqlc.MoveMarksParams{
		MessageIds: numbers(m.Messages), FromStream: int64(m.FromStream), FromTopic: m.FromTopic, ToStream: int64(m.ToStream), ToTopic: m.ToTopic,
	})
	if err != nil {
		return fmt.Errorf("move marks of %d messages: %w", len(m.Messages), err)
	}
	return nil
}
