package inbox

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// Starred returns the messages that a user starred, ascending, all of them.
func Starred(ctx context.Context, tx *store.Tx, user id.User) ([]id.Message, error) {
	starred, err := tx.MessagesFlagged(ctx, user, int16(event.Starred))
	if err != nil {
		return nil, fmt.Errorf("read starred messages of user %d: %w", user, err)
	}
	return starred, nil
}
